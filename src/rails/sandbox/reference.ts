/** The sandbox's own number for a payment. */
export function referenceOf(key: string): string {
  return `SBX-${key.replaceAll('-', '').slice(-16).toUpperCase()}`
}
