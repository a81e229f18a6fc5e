import "@/shared/styles/index.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "@/app/app";
import { signInByLink } from "@/features/sign-in";
import { startTranslations } from "@/shared/i18n";
import { applyLanguage, applyTheme, usePreferences } from "@/shared/preferences";
import { speak } from "@/shared/api/client";

const { language, theme } = usePreferences.getState();
applyTheme(theme);
applyLanguage(language);
speak(language);
// A link's code is spent before anything else asks the server, or that would be refused.
const [linkRefusal] = await Promise.all([signInByLink(), startTranslations(language)]);

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App linkRefusal={linkRefusal} />
  </StrictMode>,
);
