import type { Message } from '../message.ts'
import type { WebRequest } from './web-request.ts'

/** Posts JSON. Only the body differs between presets. */
export function jsonRequest(
  url: string,
  body: unknown,
  { delivery }: Pick<Message, 'delivery'>,
  headers: Record<string, string> = {},
): WebRequest {
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, 'muster-delivery': delivery },
    body: JSON.stringify(body),
  }
}
