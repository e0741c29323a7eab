import { acceptInvitation } from './accept-invitation.ts'
import { changePassword } from './change-password.ts'
import { changePerson } from './change-person.ts'
import { changeProfile } from './change-profile.ts'
import type { DashboardRoute } from './dashboard-route.ts'
import { disableTotp } from './disable-totp.ts'
import { enableTotp } from './enable-totp.ts'
import { endOtherSessions } from './end-other-sessions.ts'
import { endSession } from './end-session.ts'
import { getSession } from './get-session.ts'
import { invitePerson } from './invite-person.ts'
import { invitePersonAgain } from './invite-person-again.ts'
import { listAudit } from './list-audit.ts'
import { listPeople } from './list-people.ts'
import { offerTotp } from './offer-totp.ts'
import { readInvitation } from './read-invitation.ts'
import { signIn } from './sign-in.ts'

/** Sessions, people and settings. */
export const sessionRoutes: readonly DashboardRoute[] = [
  signIn,
  getSession,
  endSession,
  endOtherSessions,
  changePassword,
  offerTotp,
  enableTotp,
  disableTotp,
  listPeople,
  invitePerson,
  changePerson,
  invitePersonAgain,
  readInvitation,
  acceptInvitation,
  changeProfile,
  listAudit,
]
