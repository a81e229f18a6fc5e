// Theme and language, a button each: they say what is chosen and choose the next.

import { Monitor, Moon, Sun } from "lucide-react";
import { useTranslation } from "react-i18next";

import { usePreferences, type Theme } from "@/shared/preferences";
import { Button } from "@/shared/ui/button";
import { cx } from "@/shared/ui/cx";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

export function Appearance({ className }: { className?: string }) {
  const { t } = useTranslation();
  const { language, theme, choose } = usePreferences();
  const Icon = ICONS[theme];
  const other = language === "zh" ? "en" : "zh";
  const name = t(`theme_${theme}`);
  return (
    <div className={cx("flex items-center gap-2", className)}>
      <Button look="ghost" small icon aria-label={name} title={name} onClick={() => choose({ theme: NEXT[theme] })}>
        <Icon size={16} strokeWidth={1.5} aria-hidden />
      </Button>
      <Button look="ghost" small lang={other === "zh" ? "zh-CN" : "en"} onClick={() => choose({ language: other })}>
        {other === "zh" ? "中文" : "EN"}
      </Button>
    </div>
  );
}
