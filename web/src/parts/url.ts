import { useNavigate, useSearch } from '@tanstack/react-router'

/** The query of the address, as plain text on both sides so that people can read and send it. */
export type UrlParams = Record<string, string | undefined>

export const parseSearch = (search: string): UrlParams =>
  Object.fromEntries(new URLSearchParams(search))

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Where to go after signing in: only to a page of ours. */
export const localPath = (to: string | undefined): string =>
  to !== undefined && /^\/(sandbox|live)\//.test(to) ? to : '/'

/**
 * The query and a way to change parts of it; undefined takes one out. Every change but that of the
 * page goes back to the first page, whose cursor is `after`.
 */
export function useUrlParams() {
  const params = useSearch({ strict: false }) as UrlParams
  const navigate = useNavigate()
  const set = (patch: UrlParams, { replace = false } = {}) => {
    const search = { ...params, ...('after' in patch ? {} : { after: undefined }), ...patch }
    return navigate({ to: '.', search: search as never, replace, resetScroll: false })
  }
  return { params, set }
}
