import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import i18next from "i18next";
import { useEffect, useState } from "react";

import { createAppRouter } from "@/app/router";
import { speak, whenSignedOut } from "@/shared/api/client";
import { isSignedIn } from "@/shared/api/status";
import { LiveEvents } from "@/shared/events/live";
import { EventSocket } from "@/shared/events/socket";
import { applyLanguage, applyTheme, usePreferences } from "@/shared/preferences";

function socketUrl(): string {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${location.host}/api/events/ws`;
}

export function App({ linkRefusal }: { linkRefusal: string | null }) {
  const [queries] = useState(
    () => new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false } } }),
  );
  const [router] = useState(() => createAppRouter(queries, linkRefusal));
  const [socket] = useState(() => new EventSocket(socketUrl(), isSignedIn));
  const { language, theme } = usePreferences();

  useEffect(() => applyTheme(theme), [theme]);
  useEffect(() => {
    applyLanguage(language);
    speak(language);
    void i18next.changeLanguage(language).then(() => queries.invalidateQueries());
  }, [language, queries]);
  useEffect(() => {
    whenSignedOut(() => {
      if (router.state.location.pathname === "/sign-in") return;
      void router.navigate({ to: "/sign-in", search: { next: router.state.location.href } });
    });
  }, [router]);

  return (
    <QueryClientProvider client={queries}>
      <LiveEvents socket={socket}>
        <RouterProvider router={router} />
      </LiveEvents>
    </QueryClientProvider>
  );
}
