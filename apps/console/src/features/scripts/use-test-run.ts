import { testScript } from '@muster/contract/api/runs'
import { testScriptOnServer } from '@muster/contract/api/scripts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '../../app/api/api.ts'
import { useDashInfo, useMay } from '../../app/api/queries.ts'
import type { ScriptEdit } from './script-edit.ts'
import { toScriptBody } from './script-form.ts'

/** Stands for the server itself instead of a machine. */
export const SERVER = 'server'
/** Extra time for the response beyond the script's time limit. */
const ANSWER_SECONDS = 30

export function useMayTestOnServer(): boolean {
  const mayRun = useMay('can_run_server_scripts')
  return useDashInfo()?.server_scripts_enabled === true && mayRun
}

/** Runs the code of the editor on a machine or the server. Leaving stops a run on the server. */
export function useTestRun(edit: ScriptEdit) {
  const open = useRef<AbortController>(undefined)
  useEffect(() => {
    open.current = new AbortController()
    return () => open.current?.abort()
  }, [])
  return useMutation({
    mutationFn: async ({
      place,
      codeWithSnippets,
    }: {
      place: string
      codeWithSnippets: string | undefined
    }) => {
      const { script_body, shell, args, env_vars, default_timeout, run_as_user } = toScriptBody(
        edit.fields,
        edit.code,
      )
      const body = { code: script_body, shell, args, env_vars, timeout: default_timeout }
      if (place === SERVER) {
        const read = codeWithSnippets === undefined ? {} : { code_with_snippets: codeWithSnippets }
        const signal = open.current?.signal
        const timeoutMs = (Number(edit.fields.default_timeout) + ANSWER_SECONDS) * 1000
        const settings = { timeoutMs, ...(signal === undefined ? {} : { signal }) }
        return { onServer: await call(testScriptOnServer, { body: { ...body, ...read } }, settings) }
      }
      const more = { wait: false, run_as_user }
      const run = await call(testScript, { params: { agent_id: place }, body: { ...body, ...more } })
      return { runId: run.id }
    },
    meta: { errorsShown: true },
  })
}
