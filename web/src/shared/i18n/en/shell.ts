import type { Words } from "@/shared/i18n/words";
import type { shell as zh } from "@/shared/i18n/zh/shell";

export const shell: Words<typeof zh> = {
  skip_to_content: "Skip to content",
  menu: "Main menu",
  menu_session: "Current session",
  menu_examples: "Example tasks",
  fold_menu: "Fold menu",
  unfold_menu: "Unfold menu",
  theme_system: "Theme: system",
  theme_light: "Theme: light",
  theme_dark: "Theme: dark",
  connected: "Connected",
  connecting: "Connecting",
  not_connected: "Not connected",
  demo_model: "Offline demo model",
  demo: "Demo",
  demo_strip: "Offline demo model: Claude Code is real, the answers are scripted.",
  reconnecting: "Reconnecting",
  offline: "The connection is lost. What is shown is from {{time}}, not from now.",
  sign_in_title: "Sign in to Glasshouse",
  sign_in_how: "Enter the API key, or run glasshouse link on the server and open what it prints.",
  sign_in: "Sign in",
  sign_out: "Sign out",
  api_key: "API key",
  link_refused: "This sign-in link was used or is too old. Run glasshouse link for another, or enter the key.",
  examples_what: "Choose one: it fills the composer. Change it, then send.",
};
