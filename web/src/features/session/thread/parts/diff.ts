// What an edit changed: by lines with some context, and within a changed line by words.

export type Span = { readonly text: string; readonly changed: boolean };
export type DiffLine = {
  readonly kind: "same" | "added" | "removed";
  readonly spans: readonly Span[];
  /** Which line it is: of the text before if it was removed, else of the text after. */
  readonly place: number;
};
export type DiffGap = { readonly kind: "gap"; readonly lines: number };
export type Diff = {
  readonly lines: readonly (DiffLine | DiffGap)[];
  readonly added: number;
  readonly removed: number;
};

const CONTEXT = 3;
/** Beyond this a comparison takes longer than a person waits; then all of it counts as changed. */
const MOST_CELLS = 2_000_000;
/** Lines that share less than this are two lines, not one that was changed. */
const ALIKE = 0.4;
const WORDS = /\p{Script=Han}|[\p{L}\p{N}_]+|\s+|[^\s]/gu;

export function diffOf(before: string, after: string): Diff {
  const steps = compare(split(before), split(after));
  const lines: Line[] = [];
  for (let place = 0; place < steps.length;) {
    const step = steps[place]!;
    if (step.kind === "same") {
      lines.push(whole("same", step.item));
      place += 1;
      continue;
    }
    const end = steps.findIndex((later, index) => index > place && later.kind === "same");
    const changed = steps.slice(place, end === -1 ? steps.length : end);
    lines.push(...changedLines(textsOf(changed, "removed"), textsOf(changed, "added")));
    place += changed.length;
  }
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { lines: withContext(placed(lines)), added: count("added"), removed: count("removed") };
}

type Line = Omit<DiffLine, "place">;

function placed(lines: readonly Line[]): DiffLine[] {
  let [before, after] = [-1, -1];
  return lines.map((line) => {
    if (line.kind !== "added") before += 1;
    if (line.kind !== "removed") after += 1;
    return { ...line, place: line.kind === "removed" ? before : after };
  });
}

function split(text: string): string[] {
  return text === "" ? [] : text.replace(/\r\n/g, "\n").replace(/\n$/, "").split("\n");
}

function whole(kind: DiffLine["kind"], text: string): Line {
  return { kind, spans: [{ text, changed: false }] };
}

function textsOf(steps: readonly Step[], kind: Step["kind"]): string[] {
  return steps.filter((step) => step.kind === kind).map((step) => step.item);
}

function changedLines(removed: readonly string[], added: readonly string[]): Line[] {
  const before: Line[] = [];
  const after: Line[] = [];
  for (let place = 0; place < Math.max(removed.length, added.length); place += 1) {
    const [old, now] = [removed[place], added[place]];
    const words = old !== undefined && now !== undefined ? changedWords(old, now) : null;
    if (old !== undefined) before.push(words === null ? whole("removed", old) : { kind: "removed", spans: words[0] });
    if (now !== undefined) after.push(words === null ? whole("added", now) : { kind: "added", spans: words[1] });
  }
  return [...before, ...after];
}

function changedWords(before: string, after: string): [Span[], Span[]] | null {
  const steps = compare(before.match(WORDS) ?? [], after.match(WORDS) ?? []);
  const kept = textsOf(steps, "same").join("").trim().length;
  if (kept < ALIKE * Math.max(before.trim().length, after.trim().length)) return null;
  return [spans(steps, "removed"), spans(steps, "added")];
}

function spans(steps: readonly Step[], kind: "removed" | "added"): Span[] {
  const joined: { text: string; changed: boolean }[] = [];
  for (const step of steps) {
    if (step.kind !== "same" && step.kind !== kind) continue;
    const changed = step.kind === kind;
    const last = joined.at(-1);
    if (last?.changed === changed) last.text += step.item;
    else joined.push({ text: step.item, changed });
  }
  return joined;
}

function withContext(lines: readonly DiffLine[]): (DiffLine | DiffGap)[] {
  const near = lines.map(() => false);
  lines.forEach((line, place) => {
    if (line.kind !== "same") near.fill(true, Math.max(0, place - CONTEXT), place + CONTEXT + 1);
  });
  const shown: (DiffLine | DiffGap)[] = [];
  lines.forEach((line, place) => {
    const last = shown.at(-1);
    if (near[place]) shown.push(line);
    else if (last?.kind === "gap") shown[shown.length - 1] = { kind: "gap", lines: last.lines + 1 };
    else shown.push({ kind: "gap", lines: 1 });
  });
  return shown;
}

type Step = { readonly kind: "same" | "added" | "removed"; readonly item: string };

/** The shortest way from one list to the other, by their longest common part. */
function compare(before: readonly string[], after: readonly string[]): Step[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const same = (items: readonly string[]) => items.map((item) => ({ kind: "same" as const, item }));
  return [
    ...same(before.slice(0, head)),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): Step[] {
  const width = after.length + 1;
  const isLarge = before.length * after.length > MOST_CELLS;
  const common = isLarge ? null : commonLengths(before, after);
  const steps: Step[] = [];
  let [old, now] = [0, 0];
  while (old < before.length || now < after.length) {
    if (common !== null && old < before.length && now < after.length && before[old] === after[now]) {
      steps.push({ kind: "same", item: before[old]! });
      old += 1;
      now += 1;
    } else if (
      old < before.length &&
      (now === after.length || common === null || common[(old + 1) * width + now]! >= common[old * width + now + 1]!)
    ) {
      steps.push({ kind: "removed", item: before[old]! });
      old += 1;
    } else {
      steps.push({ kind: "added", item: after[now]! });
      now += 1;
    }
  }
  return steps;
}

/** For each pair of places, how long the longest common part of the two rests is. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let old = before.length - 1; old >= 0; old -= 1) {
    for (let now = after.length - 1; now >= 0; now -= 1) {
      lengths[old * width + now] =
        before[old] === after[now]
          ? lengths[(old + 1) * width + now + 1]! + 1
          : Math.max(lengths[(old + 1) * width + now]!, lengths[old * width + now + 1]!);
    }
  }
  return lengths;
}
