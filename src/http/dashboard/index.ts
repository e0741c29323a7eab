import { batchRoutes } from './batch-routes.ts'
import type { DashboardRoute } from './dashboard-route.ts'
import { sessionRoutes } from './session-routes.ts'
import { viewRoutes } from './view-routes.ts'

/** Every operation of the dashboard that is not one of the API. */
export const dashboardRoutes: readonly DashboardRoute[] = [
  ...sessionRoutes,
  ...viewRoutes,
  ...batchRoutes,
]
