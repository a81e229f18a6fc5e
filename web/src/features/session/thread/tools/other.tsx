// A tool that has no look of its own: what it was given and what it gave, as JSON.

import { Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";

import { useWholeText } from "@/features/session/thread/parts/whole-text";
import { Foot, PlainResult, Sunken, Took } from "@/features/session/thread/tools/parts";
import type { Input } from "@/features/session/thread/tools/input";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";

export const other: ToolView = {
  icon: Wrench,
  argument: (input) => ({ text: firstText(input) }),
  Facts: Took,
  Body: OtherBody,
  opens: "on failure",
};

function firstText(input: Input): string {
  const text = Object.values(input).find((value) => typeof value === "string");
  return typeof text === "string" ? text.split("\n", 1)[0]! : "";
}

function OtherBody({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  const json = row.typed === "" ? JSON.stringify(row.input, null, 2) : row.typed;
  const { text, more } = useWholeText(`${row.key}:input`, json);
  return (
    <>
      <Heading>{t("tool_input")}</Heading>
      <Sunken>{text}</Sunken>
      {more !== null && <Foot>{more}</Foot>}
      {row.result !== null && (
        <>
          <Heading>{t("tool_result")}</Heading>
          <PlainResult row={row} />
        </>
      )}
    </>
  );
}

function Heading({ children }: { children: string }) {
  return <p className="border-line-soft px-3 py-1 text-sm text-fg-3 not-first:border-t">{children}</p>;
}
