// Which page an address shows. Only pages that work have one.

import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";

import { Shell } from "@/app/shell";
import { ExamplesPage } from "@/features/examples";
import { SessionPage } from "@/features/session";
import { SignInPage } from "@/features/sign-in";
import { ApiError } from "@/shared/api/client";
import { statusQuery } from "@/shared/api/status";

type Context = { queries: QueryClient; linkRefusal: string | null };

const root = createRootRouteWithContext<Context>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    // Only a place of our own: an address from elsewhere must not be where a sign-in leads to.
    typeof search["next"] === "string" && /^\/(?!\/)/.test(search["next"]) ? { next: search["next"] } : {},
  component: function SignInRoute() {
    const { next } = signIn.useSearch();
    const { linkRefusal } = signIn.useRouteContext();
    return <SignInPage next={next ?? "/"} refusal={linkRefusal} />;
  },
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(statusQuery);
    } catch (problem) {
      if (problem instanceof ApiError && problem.status === 401) {
        throw redirect({ to: "/sign-in", search: { next: location.href } });
      }
      // No answer, or not ready yet: the page says so by itself, and shows what it can.
    }
  },
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
});

const newTask = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  component: () => <SessionPage sessionId={null} />,
});

const session = createRoute({
  getParentRoute: () => signedIn,
  path: "/session/$sessionId",
  component: function SessionRoute() {
    const { sessionId } = session.useParams();
    return <SessionPage key={sessionId} sessionId={sessionId} />;
  },
});

const examples = createRoute({ getParentRoute: () => signedIn, path: "/examples", component: ExamplesPage });

const tree = root.addChildren([signIn, signedIn.addChildren([newTask, session, examples])]);

export function createAppRouter(queries: QueryClient, linkRefusal: string | null) {
  return createRouter({ routeTree: tree, context: { queries, linkRefusal } });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
