import { useInfiniteQuery } from '@tanstack/react-query'
import { publicPath, request, withParams } from '../../api/client.ts'
import { useEnvironment } from '../../api/queries.ts'
import type { ExternalAccount } from './destination.ts'

const pageSize = 200

/** Beneficiaries, newest first, page after page. */
export function useBeneficiaries() {
  const environment = useEnvironment()
  const query = useInfiniteQuery({
    queryKey: ['public', environment, '/external-accounts'],
    queryFn: async ({ pageParam, signal }) => {
      const path = publicPath(environment, '/external-accounts')
      const params = { limit: pageSize, after: pageParam }
      const answer = await request<{ data: ExternalAccount[] }>(
        'GET',
        withParams(path, params),
        undefined,
        signal,
      )
      return answer.data
    },
    initialPageParam: '',
    getNextPageParam: (page) =>
      page.length < pageSize ? undefined : page.at(-1)?.externalAccountId,
  })
  return { ...query, accounts: query.data?.pages.flat() }
}

/** Whether a beneficiary is what somebody types. */
export function matches({ payoutMethod, country, currency }: ExternalAccount, text: string) {
  const { accountName, accountNumber, code, businessNumber = '' } = payoutMethod
  const all = [accountName, accountNumber, code, businessNumber, country, currency].join(' ')
  const wanted = text.trim().toLowerCase()
  return all.toLowerCase().includes(wanted)
}
