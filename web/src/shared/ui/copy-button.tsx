import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "@/shared/ui/button";

const SHOWN_MS = 1500;

/** Whether the text was copied a moment ago, and what copies it. */
export function useCopied(text: string): readonly [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, () => void copy(text).then(setCopied)];
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const [copied, copyIt] = useCopied(text);
  const name = copied ? t("copied") : (label ?? t("copy"));
  return (
    <Button look="ghost" small icon aria-label={name} title={name} onClick={copyIt}>
      {copied ? <Check size={14} strokeWidth={1.5} /> : <Copy size={14} strokeWidth={1.5} />}
    </Button>
  );
}

/** Whether it worked: a page that is served without TLS from another machine has no clipboard of its own. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
