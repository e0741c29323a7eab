import { usePublic } from '../../api/queries.ts'

export type Country = {
  name: string
  iso2: string
  dialing_code: string
  currency: { code: string; symbol: string; decimal: string }
}
export type Operator = { id: string; name: string; wallet: string; country: string }
export type Bank = { id: number; code: string; name: string; has_branches: boolean }
export type Branch = { branch_code: string; branch_name: string }

type List<Row> = { data: Row[] }

const none: never[] = []

/** The countries that can be paid, by name. */
export function useCountries(): readonly Country[] {
  const { data } = usePublic<List<Country>>('/utilities/countries')
  return data?.data ?? none
}

export function useOperators(country: string): readonly Operator[] {
  const { data } = usePublic<List<Operator>>('/utilities/mobile-money-operators', {
    params: { country },
    enabled: country !== '',
  })
  return data?.data ?? none
}

export function useBanks(country: string): readonly Bank[] {
  const { data } = usePublic<List<Bank>>('/utilities/banks', {
    params: { country },
    enabled: country !== '',
  })
  return data?.data ?? none
}

export function useBranches(bank: Bank | undefined): readonly Branch[] {
  const { data } = usePublic<List<Branch>>('/utilities/branches', {
    params: { bankId: bank?.id },
    enabled: bank?.has_branches === true,
  })
  return data?.data ?? none
}

const regions = new Intl.DisplayNames('en', { type: 'region' })

/** The name of a country; a dollar wallet may belong to one that cannot be paid. */
export function useCountryName(): (iso2: string) => string {
  const countries = useCountries()
  return (iso2) => countries.find((each) => each.iso2 === iso2)?.name ?? regions.of(iso2) ?? iso2
}
