import { Button, Select } from '@mantine/core'
import { listAgents } from '@muster/contract/api/agents'
import { testScript } from '@muster/contract/api/history'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../app/FormDialog.tsx'
import { LoadingState } from '../../app/GuardedDialog.tsx'
import { call, query } from '../../app/api.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { RunView } from '../history/RunView.tsx'
import type { ScriptEdit } from './script-edit.ts'
import { toScriptBody } from './script-form.ts'

/** Runs the code as it is in the editor, saved or not, on one machine, and shows what comes of it. */
export function TestRunDialog({ edit, onClose }: { edit: ScriptEdit; onClose: () => void }) {
  const { data, error, refetch } = useQuery(query(listAgents, { query: { detail: 'false' } }))
  const [agentId, setAgentId] = useState<string | null>(null)
  const run = useMutation({
    mutationFn: (agent_id: string) => {
      const { script_body, shell, args, env_vars, default_timeout, run_as_user } = toScriptBody(
        edit.fields,
        edit.code,
      )
      const options = { timeout: default_timeout, wait: false, ...(run_as_user ? { run_as_user } : {}) }
      const body = { code: script_body, shell, args, env_vars, ...options }
      return call(testScript, { params: { agent_id }, body })
    },
    meta: { errorsShown: true },
  })
  const runId = run.data?.id
  return (
    <Dialog
      title="Test on a machine"
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            disabled={agentId === null}
            loading={run.isPending}
            onClick={() => agentId !== null && run.mutate(agentId)}
          >
            {runId === undefined ? 'Run' : 'Run again'}
          </Button>
        </>
      }
    >
      {run.error !== null && <FormError error={run.error} />}
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={2} />
      ) : (
        <Select
          label="Machine"
          placeholder="Choose a machine"
          description="The code runs there as it is in the editor, with its arguments and variables."
          data={data.map(({ agent_id, hostname, client, site }) => ({
            value: agent_id,
            label: `${hostname} (${client}, ${site})`,
          }))}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No such machine"
          limit={200}
          value={agentId}
          onChange={setAgentId}
          data-autofocus
        />
      )}
      {runId !== undefined && <RunView key={runId} id={runId} />}
    </Dialog>
  )
}
