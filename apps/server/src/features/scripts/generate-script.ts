import { AppError } from '@muster/contract/errors'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { audit } from '../audit/write-audit.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'

const TIMEOUT_MS = 60_000
const MAX_ANSWER_BYTES = 256 * 1024
/** For all users together. A model takes seconds and often money for each. */
const MAX_AT_ONCE = 4
const MAX_SHOWN_PROMPT = 200
const INSTRUCTIONS =
  'You write scripts that administrators run on machines. Answer with the code of one script only, without explanations.'

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
})

/** Requests scripts from the configured server. The operator chose its address, so target rules do not apply. */
export function scriptGenerator(ctx: Context) {
  let running = 0
  return async (caller: Caller, request: { prompt: string; signal: AbortSignal }): Promise<string> => {
    refuseLimited(caller, 'Scripts')
    const { openAi } = ctx.config
    if (openAi === undefined) {
      throw new AppError('switched_off', 'Script generation is not configured. Set MUSTER_OPENAI_URL.')
    }
    if (running >= MAX_AT_ONCE) {
      throw new AppError('too_many_requests', 'Other scripts are being generated. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    }
    running += 1
    try {
      await ctx.transaction((tx, emit) =>
        audit(tx, {
          caller,
          action: 'view',
          object_type: 'script',
          message: `Sent a prompt for a script to ${openAi.model}: "${request.prompt.slice(0, MAX_SHOWN_PROMPT)}"`,
          at: ctx.now(),
          emit,
        }),
      )
      return await generate(ctx, openAi, request)
    } finally {
      running -= 1
    }
  }
}

async function generate(
  { log }: Context,
  openAi: NonNullable<Context['config']['openAi']>,
  { prompt, signal }: { prompt: string; signal: AbortSignal },
): Promise<string> {
  try {
    const response = await fetch(`${openAi.url.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(openAi.key === undefined ? {} : { authorization: `Bearer ${openAi.key}` }),
      },
      body: JSON.stringify({
        model: openAi.model,
        messages: [
          { role: 'system', content: INSTRUCTIONS },
          { role: 'user', content: prompt },
        ],
      }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const { choices } = Completion.parse(JSON.parse(await readStart(response)))
    return withoutFence(choices[0]?.message.content ?? '')
  } catch (error) {
    log.warn({ err: error }, 'no script was generated')
    throw new AppError('unavailable', 'The script generation server did not respond. Try again later.', {
      cause: error,
    })
  }
}

/** The text of a response. Throws once it is longer than any script may be. */
async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the response is longer than ${MAX_ANSWER_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Models put code into a Markdown fence, even if the prompt forbids it. */
function withoutFence(text: string): string {
  const fenced = /```[^\n]*\n(.*?)```/s.exec(text)
  return fenced?.[1] ?? text
}
