import { common } from "@/shared/i18n/en/common";
import { questions } from "@/shared/i18n/en/questions";
import { session } from "@/shared/i18n/en/session";
import { shell } from "@/shared/i18n/en/shell";
import { thread } from "@/shared/i18n/en/thread";

export const en = { ...common, ...shell, ...session, ...questions, ...thread };
