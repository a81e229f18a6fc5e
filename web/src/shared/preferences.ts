// What a person chose for this browser: language, theme, the folded menu. Applied to the document as it is chosen.

import { create } from "zustand";
import { persist } from "zustand/middleware";

export type Language = "zh" | "en";
export type Theme = "system" | "light" | "dark";

type Preferences = {
  language: Language;
  theme: Theme;
  menuFolded: boolean;
  choose(change: Partial<Pick<Preferences, "language" | "theme" | "menuFolded">>): void;
};

export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      language: "zh",
      theme: "system",
      menuFolded: false,
      choose: (change) => set(change),
    }),
    { name: "glasshouse.preferences" },
  ),
);

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function applyLanguage(language: Language): void {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}
