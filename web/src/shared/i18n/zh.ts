import { common } from "@/shared/i18n/zh/common";
import { questions } from "@/shared/i18n/zh/questions";
import { session } from "@/shared/i18n/zh/session";
import { shell } from "@/shared/i18n/zh/shell";
import { thread } from "@/shared/i18n/zh/thread";

export const zh = { ...common, ...shell, ...session, ...questions, ...thread };
