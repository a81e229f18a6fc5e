// While the session's log is on its way: nothing for a moment, then bars in the shape of what comes, then a word.

import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

const BARS_AFTER_MS = 150;
const WORD_AFTER_MS = 2000;

export function Skeleton() {
  const { t } = useTranslation();
  const hasBars = useElapsed(BARS_AFTER_MS);
  const hasWord = useElapsed(WORD_AFTER_MS);
  if (!hasBars) return null;
  return (
    <div className="absolute inset-x-0 top-0 mx-auto max-w-[calc(var(--thread-w)+48px)] px-6 pt-5 max-phone:px-4">
      <div aria-hidden className="grid gap-3 pl-5.5">
        <span className="h-3 w-[38%] rounded-1 bg-hover" />
        <span className="h-3 w-[72%] rounded-1 bg-hover" />
        <span className="h-3 w-[61%] rounded-1 bg-hover" />
      </div>
      {hasWord && (
        <p role="status" className="mt-4 pl-5.5 text-fg-3">
          {t("loading")}
        </p>
      )}
    </div>
  );
}

function useElapsed(ms: number): boolean {
  const [elapsed, setElapsed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return elapsed;
}
