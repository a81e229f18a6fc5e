// The page before there is anything to show: one sentence, and one thing to do.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";

import type { PermissionMode } from "@/shared/draft";
import { examplesQuery } from "@/shared/api/status";
import { CopyButton } from "@/shared/ui/copy-button";
import { ExampleList } from "@/shared/ui/example-list";
import { Logo } from "@/shared/ui/logo";

type Tried = { prompt: string; tools: readonly string[] | null; permissionMode: PermissionMode };

export function FirstRun({ offline, onTry }: { offline: boolean; onTry: (example: Tried) => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(examplesQuery);
  return (
    <div className="overflow-y-auto">
      <div className="mx-auto max-w-[calc(var(--thread-w)+48px)] px-6 pt-9 pb-8 max-phone:px-4">
        <h2 className="flex items-center gap-3 text-xl leading-(--lh-tight)">
          <Logo className="size-6.5 shrink-0" />
          {t("welcome")}
        </h2>
        <p className="mt-2 text-read leading-(--lh-read) text-fg-2">
          {t("output_shows_here")}
          {offline && ` ${t("demo_is_on")}`}
        </p>
        {offline && <DemoAndKey />}
        {data !== undefined && (
          <section className="mt-7">
            <div className="flex items-baseline justify-between border-b border-line-soft pb-1.5 text-sm">
              <h3 className="font-normal text-fg-3">{t("menu_examples")}</h3>
              <Link to="/examples" className="text-fg-2 underline decoration-line-control underline-offset-3 hover:text-fg">
                {t("all_examples")}
              </Link>
            </div>
            <ExampleList
              examples={data.examples}
              onTry={({ prompt, tools, permission_mode }) => onTry({ prompt, tools, permissionMode: permission_mode })}
            />
          </section>
        )}
      </div>
    </div>
  );
}

const WAYS = ["export ANTHROPIC_API_KEY=sk-ant-…", "glasshouse claude"];

function DemoAndKey() {
  const { t } = useTranslation();
  return (
    <div className="mt-6 grid grid-cols-1 rounded-4 border border-line bg-raised phone:grid-cols-2">
      <section className="min-w-0 p-5 leading-[1.7] text-fg-2">
        <h3 className="flex items-center gap-2 text-read text-fg">
          {t("demo_model")}
          <span className="rounded-1 bg-sky-wash px-1.5 text-sm leading-5 font-normal text-sky-fg">{t("demo")}</span>
        </h3>
        <p className="mt-2.5">{t("demo_what")}</p>
        <p className="mt-2.5">{t("demo_can")}</p>
      </section>
      <section className="min-w-0 border-line-soft p-5 max-phone:border-t phone:border-l">
        <h3 className="flex items-center gap-2 text-read">
          <KeyRound size={16} strokeWidth={1.5} aria-hidden />
          {t("add_key")}
        </h3>
        <p className="mt-2.5 text-sm text-fg-3">{t("add_key_how")}</p>
        {WAYS.map((way) => (
          <div
            key={way}
            className="mt-1.5 flex min-h-8 items-center gap-2 rounded-2 border border-line-soft bg-sunken pr-1 pl-2.5 font-mono text-[12px]"
          >
            <span className="min-w-0 flex-1 truncate">{way}</span>
            <CopyButton text={way} />
          </div>
        ))}
        <p className="mt-2.5 leading-[1.7] text-fg-2">{t("key_stays")}</p>
      </section>
    </div>
  );
}
