import "i18next";

import type { zh } from "@/shared/i18n/zh";

// A key that no catalogue has does not compile.
declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: { [Key in keyof typeof zh]: string } };
    returnNull: false;
  }
}
