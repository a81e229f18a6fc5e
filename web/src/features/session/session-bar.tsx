// The bar over a session: the open ones as tabs, on a phone behind the name of the one that is shown.

import { memo } from "react";
import { useTranslation } from "react-i18next";

import { SessionMenu } from "@/features/session/session-menu";
import { SessionTabs } from "@/features/session/session-tabs";
import type { Mark } from "@/shared/ui/state-mark";
import { TopBar } from "@/shared/ui/top-bar";

type Props = { sessionId: string | null; title: string | undefined; mark: Mark; onNew: () => void };

export const SessionBar = memo(function SessionBar({ sessionId, title, mark, onNew }: Props) {
  const { t } = useTranslation();
  const phone = <SessionMenu current={sessionId} title={title} mark={mark} onNew={onNew} />;
  return (
    <TopBar title={t("menu_session")} onPhone={phone}>
      <SessionTabs current={sessionId} mark={mark} />
    </TopBar>
  );
});
