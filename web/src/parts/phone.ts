import { useMediaQuery } from '@mantine/hooks'

/** As narrow as a phone; the same width stands in the style sheets. */
export const useIsPhone = (): boolean =>
  useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false }) ?? false
