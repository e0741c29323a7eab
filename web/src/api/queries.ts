import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import {
  ApiError,
  call,
  type Environment,
  type Method,
  type Page,
  type Params,
  publicPath,
  request,
  viewPath,
  withParams,
} from './client.ts'

/** What the service tells of by itself; a query that names one is read again when it happens. */
export type LiveEvent = 'transaction' | 'batch'

export type ViewOptions = {
  params?: Params
  /** Read again when the service tells of one of these. */
  live?: readonly LiveEvent[]
  enabled?: boolean
  /** Read again so often, for what no event tells of. */
  everyMs?: number
  /** Show the last answer while the next one comes, as tables and charts do. */
  keep?: boolean
}

const maxTries = 2
const staleMs = 10_000

/** A session that has ended meanwhile: sign in, and come back to this page. */
function leaveWhenSignedOut(error: Error): void {
  if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') return
  const { pathname, search } = location
  if (/^\/(sandbox|live)\//.test(pathname)) {
    location.assign(withParams('/sign-in', { to: pathname + search }))
  }
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
    mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        // A refusal stays a refusal; only what may have been an accident is tried again.
        retry: (count, error) =>
          count < maxTries &&
          !(error instanceof ApiError && error.status > 0 && error.status < 500),
      },
    },
  })
}

/** The environment of the address: it is never anywhere else. */
export function useEnvironment(): Environment {
  const { environment } = useParams({ strict: false })
  return environment === 'live' ? 'live' : 'sandbox'
}

export const viewKey = (environment: Environment, path: string, params?: Params): QueryKey =>
  params ? ['view', environment, path, params] : ['view', environment, path]

function useAt<Answer>(
  key: QueryKey,
  path: string,
  options: ViewOptions,
  read: (path: string, signal: AbortSignal) => Promise<Answer>,
) {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => read(withParams(path, options.params), signal),
    enabled: options.enabled ?? true,
    meta: { live: options.live ?? [] },
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
  })
}

/** The data of GET /dashboard/:environment<path>. */
export function useView<Data>(path: string, options: ViewOptions = {}) {
  const environment = useEnvironment()
  const key = viewKey(environment, path, options.params)
  return useAt<Data>(key, viewPath(environment, path), options, (url, signal) =>
    call('GET', url, undefined, signal),
  )
}

/** One page of the list at GET /dashboard/:environment<path>. */
export function useViewPage<Row>(path: string, options: ViewOptions = {}) {
  const environment = useEnvironment()
  const key = viewKey(environment, path, options.params)
  return useAt<Page<Row>>(
    key,
    viewPath(environment, path),
    { keep: true, ...options },
    (url, signal) => request('GET', url, undefined, signal),
  )
}

/** The whole answer of a public operation, GET /dashboard/:environment/b2b<path>. */
export function usePublic<Answer>(path: string, options: ViewOptions = {}) {
  const environment = useEnvironment()
  const key = ['public', environment, path, options.params ?? {}]
  return useAt<Answer>(key, publicPath(environment, path), options, (url, signal) =>
    request('GET', url, undefined, signal),
  )
}

/** The data of GET /dashboard<path>: about the person and the merchant, not an environment. */
export function useShared<Data>(path: string, options: ViewOptions = {}) {
  return useAt<Data>(
    ['shared', path, options.params ?? {}],
    `/dashboard${path}`,
    options,
    (url, signal) => call('GET', url, undefined, signal),
  )
}

/** One page of the list at GET /dashboard<path>. */
export function useSharedPage<Row>(path: string, options: ViewOptions = {}) {
  return useAt<Page<Row>>(
    ['shared', path, options.params ?? {}],
    `/dashboard${path}`,
    { keep: true, ...options },
    (url, signal) => request('GET', url, undefined, signal),
  )
}

export type Send = { method: Method; path: string; body?: unknown }

/** The places to send to; each makes a full path of one that begins with a slash. */
export function usePaths() {
  const environment = useEnvironment()
  return {
    view: (path: string) => viewPath(environment, path),
    public: (path: string) => publicPath(environment, path),
    shared: (path: string) => `/dashboard${path}`,
  }
}

/**
 * Sends what changes something: `mutate({method, path, body})` with a full path of usePaths().
 * Answers the data, and reads everything on the screen again that may have changed.
 */
export function useSend<Data = unknown>() {
  const client = useQueryClient()
  return useMutation<Data, Error, Send>({
    mutationFn: ({ method, path, body }) => call<Data>(method, path, body),
    onSuccess: () => client.invalidateQueries({ refetchType: 'active' }),
  })
}
