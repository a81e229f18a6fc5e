import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

import { stylesWithoutElements } from "./vite/styles-without-elements.ts";

const server = process.env["GLASSHOUSE_URL"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react(), tailwindcss(), stylesWithoutElements()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    // Our policy lets no data: address be a script or a font, and no script stand in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
  },
  server: { proxy: { "/api": { target: server, ws: true, changeOrigin: true } } },
  test: { environment: "happy-dom", include: ["tests/**/*.test.{ts,tsx}"] },
});
