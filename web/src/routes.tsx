import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { sessionQuery } from './api/session.ts'
import { Frame } from './layout/Frame.tsx'
import { Failure, Loading, NotFound } from './parts/states.tsx'
import { localPath, parseSearch, stringifySearch, type UrlParams } from './parts/url.ts'

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => (
    <main>
      <NotFound />
    </main>
  ),
  validateSearch: (search): UrlParams => search as UrlParams,
})

const lastPlace = 'malipo-environment'

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    const environment = localStorage.getItem(lastPlace) === 'live' ? 'live' : 'sandbox'
    throw redirect({ to: '/$environment/overview', params: { environment } })
  },
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  beforeLoad: async ({ context, search }) => {
    const session = await context.client.fetchQuery(sessionQuery)
    if (session) throw redirect({ href: localPath(search.to) })
  },
  component: lazyRouteComponent(() => import('./pages/sign-in/SignInPage.tsx'), 'SignInPage'),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join/$token',
  component: lazyRouteComponent(() => import('./pages/join/JoinPage.tsx'), 'JoinPage'),
})

/** Everything behind the sign-in. The environment is a part of the address, and nowhere else. */
const account = createRoute({
  getParentRoute: () => root,
  path: '/$environment',
  beforeLoad: async ({ context, location, params }) => {
    if (params.environment !== 'sandbox' && params.environment !== 'live') throw notFound()
    const session = await context.client.ensureQueryData(sessionQuery)
    if (!session) throw redirect({ to: '/sign-in', search: { to: location.href } })
    localStorage.setItem(lastPlace, params.environment)
  },
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
})

const pages = [
  page('/overview', () => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage'),
  page(
    '/transactions',
    () => import('./pages/transactions/TransactionsPage.tsx'),
    'TransactionsPage',
  ),
  page(
    '/transactions/$transactionId',
    () => import('./pages/transactions/TransactionPage.tsx'),
    'TransactionPage',
  ),
  page('/payouts', () => import('./pages/payouts/PayoutsPage.tsx'), 'PayoutsPage'),
  page('/batches', () => import('./pages/batches/BatchesPage.tsx'), 'BatchesPage'),
  page('/batches/$batchId', () => import('./pages/batches/BatchPage.tsx'), 'BatchPage'),
  page('/charges', () => import('./pages/charges/ChargesPage.tsx'), 'ChargesPage'),
  page(
    '/beneficiaries',
    () => import('./pages/beneficiaries/BeneficiariesPage.tsx'),
    'BeneficiariesPage',
  ),
  page('/money', () => import('./pages/money/MoneyPage.tsx'), 'MoneyPage'),
  page('/money/$tab', () => import('./pages/money/MoneyPage.tsx'), 'MoneyPage'),
  page('/wallets/$walletId', () => import('./pages/money/StatementPage.tsx'), 'StatementPage'),
  page('/developers', () => import('./pages/developers/DevelopersPage.tsx'), 'DevelopersPage'),
  page('/developers/$tab', () => import('./pages/developers/DevelopersPage.tsx'), 'DevelopersPage'),
  page('/settings', () => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
  page('/settings/$tab', () => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
]

/** Each page is a script of its own, loaded when somebody goes there or points at its link. */
function page<Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, () => React.ReactNode>>,
  name: Name,
) {
  return createRoute({
    getParentRoute: () => account,
    path,
    component: lazyRouteComponent(
      load as () => Promise<Record<string, () => React.ReactNode>>,
      name,
    ),
  })
}

export function createAppRouter(client: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([start, signIn, join, account.addChildren(pages)]),
    context: { client },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: Loading,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
