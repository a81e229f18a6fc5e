// Tasks to try: one of them fills the composer.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { examplesQuery } from "@/shared/api/status";
import { useTitle } from "@/shared/events/waiting";
import { ExampleList } from "@/shared/ui/example-list";
import { TopBar } from "@/shared/ui/top-bar";
import { useDraft } from "@/shared/draft";

export function ExamplesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const change = useDraft((draft) => draft.change);
  const { data, isError } = useQuery(examplesQuery);
  useTitle(`${t("menu_examples")} · Glasshouse`);
  return (
    <div className="grid h-full min-h-0 grid-rows-[auto_minmax(0,1fr)]">
      <TopBar title={t("menu_examples")} />
      <div className="overflow-y-auto">
        <div className="mx-auto max-w-[calc(var(--thread-w)+48px)] px-6 py-5 max-phone:px-4">
          <p className="pb-3 text-fg-2">{t("examples_what")}</p>
          {isError && <p role="alert">{t("unreachable")}</p>}
          {data !== undefined && (
            <ExampleList
              examples={data.examples}
              onTry={({ prompt, tools, permission_mode }) => {
                change({ prompt, tools, permissionMode: permission_mode });
                void navigate({ to: "/" });
              }}
            />
          )}
        </div>
      </div>
    </div>
  );
}
