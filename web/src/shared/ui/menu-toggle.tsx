// The button that folds the menu, or on narrow windows opens it; every page's bar begins with it.

import { PanelLeft } from "lucide-react";
import { createContext, useContext } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "@/shared/ui/button";

type MenuToggle = { readonly folded: boolean; fold(): void; openDrawer(): void };

export const MenuToggleContext = createContext<MenuToggle | null>(null);

export function MenuToggleButton() {
  const { t } = useTranslation();
  const toggle = useContext(MenuToggleContext);
  if (toggle === null) return null;
  const fold = toggle.folded ? t("unfold_menu") : t("fold_menu");
  const icon = <PanelLeft size={16} strokeWidth={1.5} aria-hidden />;
  return (
    <>
      <Button look="ghost" small icon aria-label={fold} title={`${fold} Ctrl+B`} onClick={toggle.fold} className="max-drawer:hidden">
        {icon}
      </Button>
      <Button look="ghost" small icon aria-label={t("menu")} onClick={toggle.openDrawer} className="drawer:hidden">
        {icon}
      </Button>
    </>
  );
}
