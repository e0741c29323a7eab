/** Signing in and joining by an invitation. */
export const doorStrings = {
  signIn: 'Sign in',
  signInHint: 'See and run your payments.',
  email: 'Email',
  password: 'Password',
  next: 'Sign in',
  codeTitle: 'One more step',
  codeHint: 'Enter the six digits your authenticator app shows now.',
  code: 'Code',
  verify: 'Verify',
  otherAccount: 'Sign in with another account',
  firstTime: 'The first email and password were shown on the screen when the service started.',
  waitFor: (seconds: number) =>
    seconds < 90
      ? `Too many attempts. Try again in ${seconds} seconds.`
      : `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
  join: (merchant: string) => `Join ${merchant}`,
  joinHint: (email: string) => `You were invited as ${email}. Choose a password to begin.`,
  joinLoading: 'Your invitation',
  joinGone: 'This invitation does not work',
  joinGoneHint: 'It was used already, or it is too old. Ask whoever invited you for a new link.',
  toSignIn: 'To the sign-in',
  name: 'Your name',
  newPassword: 'New password',
  newPasswordHint: 'At least 12 characters. A few words are easy to remember and hard to guess.',
  begin: 'Begin',
} as const
