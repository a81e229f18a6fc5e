import type { Words } from "@/shared/i18n/words";
import type { common as zh } from "@/shared/i18n/zh/common";

export const common: Words<typeof zh> = {
  copy: "Copy",
  copied: "Copied",
  close: "Close",
  retry: "Retry",
  cancel: "Cancel",
  loading: "Loading…",
  unreachable: "The server cannot be reached. Check the network, or whether Glasshouse runs.",
};
