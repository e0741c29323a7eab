import Type from 'typebox'
import { maxPasswordLength } from '../../people/passwords.ts'

/** Wide enough for any password; which one may be set is decided where it is set. */
export const PasswordText = Type.String({ minLength: 1, maxLength: 4 * maxPasswordLength })
