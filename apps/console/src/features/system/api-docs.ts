import '../../app/no-eval.ts'
import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import { createApiReference } from '@scalar/api-reference'
import '@scalar/api-reference/style.css'
import { OWN_SHAPE, SHAPE_HEADER } from '@muster/contract/client'
import { requestHeaders } from '../../app/api/request-headers.ts'
import { COLORS } from '../../app/colors.ts'
import './api-docs.css'

/** The schemes of the API description. */
const KEY_HEADER = 'x-api-key'

createApiReference('#root', {
  url: '/openapi.json',
  servers: [{ url: location.origin }],
  // Nothing may leave this server: no proxy, fonts, usage figures, or tools of the library's vendor.
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  theme: 'none',
  customCss: writeColors(),
  darkMode: document.documentElement.dataset.mantineColorScheme === 'dark',
  authentication: { preferredSecurityScheme: 'api_key' },
  customFetch: sendRequest,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  featuredClients: ['shell/curl', 'js/fetch', 'python/requests', 'powershell/restmethod'],
  setPageTitle: ({ title }) => `${title} | Muster API`,
})

/** With a key as a program sends it; otherwise as the user who is signed in to the console in this browser. */
function sendRequest(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  const headers = new Headers(request.headers)
  const key = headers.get(KEY_HEADER)
  if (!headers.has(SHAPE_HEADER)) headers.set(SHAPE_HEADER, OWN_SHAPE)
  if (key === null || key === '') {
    headers.delete(KEY_HEADER)
    headers.delete('authorization')
    for (const [name, value] of Object.entries(requestHeaders())) headers.set(name, value)
    return fetch(new Request(request, { headers, credentials: 'same-origin' }))
  }
  return fetch(new Request(request, { headers, credentials: 'omit' }))
}

/** Gives the library the colours of the console. */
function writeColors(): string {
  return (['light', 'dark'] as const)
    .map((scheme) => {
      const colors = COLORS[scheme]
      const variables = {
        'background-1': colors.page,
        'background-2': colors.surface,
        'background-3': colors.hover,
        'background-accent': colors.selected,
        'border-color': colors.line,
        'color-1': colors.text,
        'color-2': colors.dim,
        'color-3': colors.dim,
        'color-accent': colors.accent,
        'color-green': colors.positive,
        'color-red': colors.negative,
        'color-yellow': colors.warning,
        'color-orange': colors.warning,
        'color-blue': colors.info,
        'color-purple': colors.accent,
        'button-1': colors.accent,
        'button-1-color': colors.onAccent,
        'button-1-hover': colors.accentHover,
      }
      const lines = Object.entries(variables).map(([name, value]) => `--scalar-${name}: ${value};`)
      return `.${scheme}-mode { ${lines.join(' ')} }`
    })
    .join('\n')
}
