import { VERSION } from '../../platform/config/version.ts'
import { writeDocsPage } from '../../platform/http/docs-page.ts'
import { type DescribedRoute, describeApi } from '../../platform/http/openapi.ts'
import type { Api } from '../../platform/http/route.ts'
import { PAGE_POLICY } from '../../platform/http/security-headers.ts'

/** The API description. Built at the first request, when every route is mounted, and cached. */
export function descriptionRoutes(api: Api, routes: readonly DescribedRoute[]): void {
  let description: string | undefined
  let page: string | undefined

  api.fastify.get(
    '/openapi.json',
    { config: { summary: 'This description of the API, as OpenAPI 3.1' } },
    async (_request, reply) => {
      description ??= JSON.stringify(describeApi(routes, VERSION))
      return reply.type('application/json; charset=utf-8').send(description)
    },
  )

  api.fastify.get(
    '/docs/',
    { config: { summary: 'This description of the API, as a page' } },
    async (_request, reply) => {
      page ??= writeDocsPage(routes, VERSION)
      return reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY).send(page)
    },
  )
}
