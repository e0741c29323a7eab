import '@mantine/core/styles.css'
import './global.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/queries.ts'
import { TellProvider } from './parts/Tell.tsx'
import { createAppRouter } from './routes.tsx'
import { cssVariables, theme } from './theme.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
// The lock of scrolling behind dialogs makes a style tag by itself, and looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const client = createQueryClient()
const router = createAppRouter(client)
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={client}>
          <TellProvider>
            <RouterProvider router={router} />
          </TellProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
