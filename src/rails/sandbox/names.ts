import { createHash } from 'node:crypto'

/** Names that are common where an account is, so that a test reads like the real thing. */
const names: Readonly<Record<string, { first: readonly string[]; last: readonly string[] }>> = {
  KE: {
    first: ['Wanjiru', 'Otieno', 'Achieng', 'Kamau', 'Njeri', 'Kipchoge'],
    last: ['Mwangi', 'Odhiambo', 'Kariuki', 'Wafula', 'Chebet', 'Mutua'],
  },
  UG: {
    first: ['Nakato', 'Okello', 'Namubiru', 'Mugisha', 'Akello', 'Kato'],
    last: ['Ssemakula', 'Opio', 'Byaruhanga', 'Nabirye', 'Tumusiime', 'Ochieng'],
  },
  TZ: {
    first: ['Neema', 'Juma', 'Rehema', 'Baraka', 'Zawadi', 'Hamisi'],
    last: ['Mushi', 'Mrema', 'Kessy', 'Msuya', 'Ngowi', 'Shayo'],
  },
  NG: {
    first: ['Adaeze', 'Chinedu', 'Folake', 'Ibrahim', 'Ngozi', 'Tunde'],
    last: ['Okafor', 'Adeyemi', 'Bello', 'Eze', 'Balogun', 'Nwosu'],
  },
  GH: {
    first: ['Ama', 'Kofi', 'Akosua', 'Kwame', 'Efua', 'Yaw'],
    last: ['Mensah', 'Owusu', 'Boateng', 'Asante', 'Osei', 'Addo'],
  },
  SN: {
    first: ['Aminata', 'Mamadou', 'Fatou', 'Ousmane', 'Awa', 'Cheikh'],
    last: ['Diop', 'Ndiaye', 'Fall', 'Sarr', 'Gueye', 'Ba'],
  },
}

const elsewhere = {
  first: ['Grace', 'Joseph', 'Esther', 'Daniel', 'Mercy', 'Samuel'],
  last: ['Banda', 'Phiri', 'Moyo', 'Dlamini', 'Tembo', 'Nkosi'],
}

/** The same name for the same number, every time. */
export function nameOf(country: string, accountNumber: string): string {
  const { first, last } = names[country] ?? elsewhere
  const digest = createHash('sha256').update(accountNumber).digest()
  return `${first[digest[0]! % first.length]} ${last[digest[1]! % last.length]}`
}
