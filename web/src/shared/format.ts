// Figures as people read them, the same everywhere.

import type { Language } from "@/shared/preferences";

/** "12,345 ms" up to a hundred seconds, then minutes: a figure of seven digits says nothing. */
export function duration(ms: number, language: Language): string {
  if (ms < 100_000) return `${Math.round(ms).toLocaleString("en-US")} ms`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (language === "zh") return hours > 0 ? `${hours} 小时 ${minutes} 分` : `${minutes} 分 ${rest} 秒`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${rest} s`;
}

/** "14 秒": how long a thought or a call took. */
export function shortDuration(ms: number, language: Language): string {
  const unit = language === "zh" ? "秒" : "s";
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} ${unit}`;
  if (ms < 100_000) return `${Math.round(ms / 1000)} ${unit}`;
  return duration(ms, language);
}

/** "12:41", growing. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** "$0.023" under a dime, "$0.83" above. */
export function dollars(amount: number): string {
  return amount < 0.1 ? `$${amount.toFixed(3)}` : `$${amount.toFixed(2)}`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} KB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}

/** "14:09". */
export function timeOfDay(iso: string): string {
  return new Date(iso).toLocaleTimeString("zh-CN", { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** The absolute time, for whoever hovers. */
export function moment(iso: string, language: Language): string {
  return new Date(iso).toLocaleString(language === "zh" ? "zh-CN" : "en-GB");
}
