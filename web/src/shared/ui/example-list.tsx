// Tasks to try, one line each.

import { ChevronRight, FolderOpen, ListChecks, FileText, SquareTerminal, Sparkles } from "lucide-react";

import type { Example } from "@/shared/api/names";

const ICONS: Readonly<Record<string, typeof FolderOpen>> = {
  list_files: FolderOpen,
  write_program: SquareTerminal,
  explain_file: FileText,
  make_plan: ListChecks,
};

export function ExampleList({ examples, onTry }: { examples: readonly Example[]; onTry: (example: Example) => void }) {
  return (
    <ul>
      {examples.map((example) => {
        const Icon = ICONS[example.id] ?? Sparkles;
        const chip = example.permission_mode === "default" ? (example.tools ?? []).join(" ") : example.permission_mode;
        return (
          <li key={example.id} className="border-line-soft not-first:border-t">
            <button
              type="button"
              onClick={() => onTry(example)}
              className="-mx-2 flex min-h-13 w-[calc(100%+16px)] items-center gap-3 rounded-2 px-2 py-1.5 text-left hover:bg-hover"
            >
              <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-fg-3" />
              <span className="min-w-0 flex-1">
                <span className="block text-md">{example.title}</span>
                <span className="block text-sm text-fg-3">{example.description}</span>
              </span>
              {chip !== "" && (
                <span className="rounded-1 bg-hover px-1.5 font-mono text-xs leading-5 whitespace-nowrap text-fg-2 max-phone:hidden">{chip}</span>
              )}
              <ChevronRight size={12} strokeWidth={1.5} aria-hidden className="shrink-0 text-fg-3" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
