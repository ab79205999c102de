import { createRoute, redirect } from '@tanstack/react-router'
import { readAudit } from '../pages/settings/audit-search.ts'
import { pagePaths } from '../path-builder.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { readNew } from './search-params.ts'

const settingsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'settings',
  component: lazyPage(() => import('../pages/settings/settings-layout.tsx'), 'SettingsLayout'),
})

const settingsIndexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: pagePaths.settings(params.applicationId, 'general'), replace: true })
  },
})

const generalRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'general',
  component: lazyPage(() => import('../pages/settings/general-page.tsx'), 'GeneralPage'),
})

const apiKeysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'api-keys',
  validateSearch: readNew,
  component: lazyPage(() => import('../pages/settings/api-keys-page.tsx'), 'ApiKeysPage'),
})

const membersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'members',
  validateSearch: readNew,
  component: lazyPage(() => import('../pages/settings/members-page.tsx'), 'MembersPage'),
})

const ratingSchemeRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'rating-scheme',
  component: lazyPage(() => import('../pages/settings/rating-scheme-page.tsx'), 'RatingSchemePage'),
})

const modelsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'models',
  validateSearch: readNew,
  component: lazyPage(() => import('../pages/settings/models-page.tsx'), 'ModelsPage'),
})

const endpointsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'endpoints',
  validateSearch: readNew,
  component: lazyPage(() => import('../pages/settings/endpoints-page.tsx'), 'EndpointsPage'),
})

const pricesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'prices',
  validateSearch: readNew,
  component: lazyPage(() => import('../pages/settings/prices-page.tsx'), 'PricesPage'),
})

const retentionRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'retention',
  component: lazyPage(() => import('../pages/settings/retention-page.tsx'), 'RetentionPage'),
})

const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'audit',
  validateSearch: readAudit,
  component: lazyPage(() => import('../pages/settings/audit-page.tsx'), 'AuditPage'),
})

const healthRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'health',
  component: lazyPage(() => import('../pages/settings/health-page.tsx'), 'HealthPage'),
})

export const settingsRoutes = settingsRoute.addChildren([
  settingsIndexRoute,
  generalRoute,
  apiKeysRoute,
  membersRoute,
  ratingSchemeRoute,
  modelsRoute,
  endpointsRoute,
  pricesRoute,
  retentionRoute,
  auditRoute,
  healthRoute,
])
