// Every word that the console says, in both languages. A key that one of them lacks does not compile.

import i18next from "i18next";
import { initReactI18next } from "react-i18next";

import { en } from "@/shared/i18n/en";
import { zh } from "@/shared/i18n/zh";
import type { Language } from "@/shared/preferences";

export async function startTranslations(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "zh",
    resources: { zh: { translation: zh }, en: { translation: en } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
}
