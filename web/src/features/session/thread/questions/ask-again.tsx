// A change of mind about a directory: what was decided is forgotten, and the next task there asks again.

import { useState } from "react";
import { useTranslation } from "react-i18next";

import { del } from "@/shared/api/client";
import type { Forgotten } from "@/shared/api/types.gen";
import { Button } from "@/shared/ui/button";

type State = "offered" | "busy" | "done" | "failed";

export function AskAgain({ directory }: { directory: string }) {
  const { t } = useTranslation();
  const [state, setState] = useState<State>("offered");

  async function forget() {
    setState("busy");
    try {
      await del<Forgotten>(`/api/trust?directory=${encodeURIComponent(directory)}`);
      setState("done");
    } catch {
      setState("failed");
    }
  }

  if (state === "done") {
    return (
      <span role="status" className="text-sm text-fg-3">
        {t("trust_asked_again")}
      </span>
    );
  }
  return (
    <Button look="ghost" small disabled={state === "busy"} onClick={() => void forget()}>
      {t(state === "failed" ? "trust_ask_again_failed" : "trust_ask_again")}
    </Button>
  );
}
