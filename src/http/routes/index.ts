import type { Route } from '../route.ts'
import { generateBearerToken } from './generate-bearer-token.ts'
import { getUser } from './get-user.ts'
import { putWebhookUrls } from './set-webhook-urls.ts'

/** Every operation of the API. */
export const routes: readonly Route[] = [generateBearerToken, getUser, putWebhookUrls]
