// One question of a panel: its words, its options, and what a chosen option asks next, under it.

import { useId } from "react";
import { useTranslation } from "react-i18next";

import {
  choiceOf,
  OTHER_LIMIT,
  type Choice,
  type Choices,
  type FormQuestion,
} from "@/features/session/thread/questions/draft";
import { cx } from "@/shared/ui/cx";

type Props = {
  question: FormQuestion;
  choices: Choices;
  missing: readonly string[];
  onChoose: (question: FormQuestion, change: Partial<Choice>) => void;
  nested?: boolean;
};

const FIELD =
  "mt-2 w-full rounded-2 border border-line-control bg-surface px-2.5 py-1.5 aria-invalid:border-red-edge max-phone:text-[16px]";

export function QuestionField({ question, choices, missing, onChoose, nested = false }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const isMissing = missing.includes(question.question_id);
  const choice = choiceOf(choices, question);
  return (
    <div
      role="group"
      aria-labelledby={`${id}-text`}
      data-question={question.question_id}
      aria-describedby={isMissing ? `${id}-problem` : undefined}
      className={cx("min-w-0", nested ? "pt-1" : "px-4 pt-4 not-first:mt-4 not-first:border-t not-first:border-line-soft")}
    >
      {!nested && (
        <p className="mb-1 flex items-center gap-2 text-sm text-fg-3">
          {question.header != null && question.header !== "" && (
            <span className="rounded-1 bg-hover px-1.5 leading-5 text-fg-2">{question.header}</span>
          )}
          <span>{t(`question_${question.type}`)}</span>
          <span className={question.required === false ? "" : "text-fg-2"}>
            {t(question.required === false ? "question_optional" : "question_required")}
          </span>
        </p>
      )}
      <h4 id={`${id}-text`} className={nested ? "" : "text-read leading-[1.5]"}>
        {question.question_text}
      </h4>
      {question.description != null && <p className="mt-0.5 leading-[1.65] text-fg-2">{question.description}</p>}
      {question.type === "text" ? (
        <textarea
          rows={2}
          aria-label={question.question_text}
          aria-invalid={isMissing}
          value={choice.text}
          onChange={(event) => onChoose(question, { text: event.target.value })}
          className={cx(FIELD, "resize-y")}
        />
      ) : (
        <Options question={question} choices={choices} missing={missing} onChoose={onChoose} />
      )}
      {isMissing && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-red-fg">
          {t("question_missing")}
        </p>
      )}
    </div>
  );
}

type ShownOption = { readonly id: string; readonly label: string; readonly description?: string | null; readonly default?: boolean };

function Options({ question, choices, missing, onChoose }: Omit<Props, "nested">) {
  const { t } = useTranslation();
  const name = useId();
  const choice = choiceOf(choices, question);
  const isMany = question.type === "checkbox";
  const yesNo: readonly ShownOption[] = [
    { id: "true", label: t("yes") },
    { id: "false", label: t("no") },
  ];
  const options: readonly ShownOption[] = question.type === "boolean" ? yesNo : (question.options ?? []);

  function toggle(option: string) {
    if (!isMany) onChoose(question, { chosen: [option], other: null });
    else {
      const { chosen } = choice;
      onChoose(question, {
        chosen: chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option],
      });
    }
  }

  return (
    <div className="mt-2.5 divide-y divide-line-soft overflow-hidden rounded-3 border border-line bg-raised">
      {options.map((option, place) => {
        const isChosen = choice.chosen.includes(option.id);
        const followUps = isChosen ? ((question.follow_up_questions ?? {})[option.id] ?? []) : [];
        return (
          <div key={option.id} className={isChosen ? "bg-purple-wash/60" : ""}>
            <label className="grid cursor-pointer grid-cols-[18px_minmax(0,1fr)_auto] gap-x-2.5 px-3 py-2.25 hover:bg-hover max-phone:py-3">
              <input
                type={isMany ? "checkbox" : "radio"}
                name={name}
                checked={isChosen}
                onChange={() => toggle(option.id)}
                className="mt-0.5 size-4 accent-purple-fg max-phone:size-4.5"
              />
              <span className="text-md leading-[1.45]">{option.label}</span>
              <span className="flex items-center gap-2 text-sm leading-5 text-fg-3">
                {option.default === true && <span>{t("option_default")}</span>}
                <Digit place={place} />
              </span>
              {option.description != null && (
                <span className="col-start-2 leading-[1.55] text-fg-2">{option.description}</span>
              )}
            </label>
            {followUps.length > 0 && (
              <div className="relative grid gap-2.5 pt-1 pr-3 pb-3.5 pl-10 before:absolute before:top-0 before:bottom-4 before:left-4.75 before:w-0.5 before:rounded-[1px] before:bg-purple-line">
                {(followUps as readonly FormQuestion[]).map((each) => (
                  <QuestionField key={each.question_id} question={each} choices={choices} missing={missing} onChoose={onChoose} nested />
                ))}
              </div>
            )}
          </div>
        );
      })}
      {question.allow_other === true && (
        <div className={choice.other === null ? "" : "bg-purple-wash/60"}>
          <label className="grid cursor-pointer grid-cols-[18px_minmax(0,1fr)_auto] gap-x-2.5 px-3 py-2.25 hover:bg-hover max-phone:py-3">
            <input
              type={isMany ? "checkbox" : "radio"}
              name={name}
              checked={choice.other !== null}
              onChange={() =>
                onChoose(question, {
                  other: choice.other === null ? "" : isMany ? null : "",
                  ...(isMany ? {} : { chosen: [] }),
                })
              }
              className="mt-0.5 size-4 accent-purple-fg max-phone:size-4.5"
            />
            <span className="text-md leading-[1.45]">{t("option_other")}</span>
            <Digit place={options.length} />
          </label>
          {choice.other !== null && (
            <div className="px-3 pb-3 pl-10">
              <input
                autoFocus
                aria-label={t("option_other")}
                maxLength={OTHER_LIMIT}
                value={choice.other}
                onChange={(event) => onChoose(question, { other: event.target.value })}
                className={cx(FIELD, "mt-0 h-(--control-h)")}
              />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

/** The key that chooses it: drawn, and no part of the label's words. */
function Digit({ place }: { place: number }) {
  return place > 8 ? null : (
    <kbd
      aria-hidden
      data-key={place + 1}
      className="font-mono text-[11px] leading-5 text-fg-3 before:content-[attr(data-key)] max-phone:hidden"
    />
  );
}
