// The bar on top of every page: the menu's button, the page's name, what belongs to the page, theme and language.

import { Monitor, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { usePreferences, type Theme } from "@/shared/preferences";
import { Button } from "@/shared/ui/button";
import { MenuToggleButton } from "@/shared/ui/menu-toggle";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

export function TopBar({ title, children }: { title: string; children?: ReactNode }) {
  const { t } = useTranslation();
  const { language, theme, choose } = usePreferences();
  const Icon = ICONS[theme];
  const other = language === "zh" ? "en" : "zh";
  return (
    <header className="flex h-(--bar-h) items-center gap-2 border-b border-line-soft px-3 max-phone:h-13 max-phone:px-2">
      <MenuToggleButton />
      <h1 className="text-md whitespace-nowrap">{title}</h1>
      {children}
      <span className="flex-1" />
      <Button
        look="ghost"
        small
        icon
        aria-label={t(`theme_${theme}`)}
        title={t(`theme_${theme}`)}
        onClick={() => choose({ theme: NEXT[theme] })}
      >
        <Icon size={16} strokeWidth={1.5} aria-hidden />
      </Button>
      <Button look="ghost" small lang={other === "zh" ? "zh-CN" : "en"} onClick={() => choose({ language: other })}>
        {other === "zh" ? "中文" : "EN"}
      </Button>
    </header>
  );
}
