import { Button, Select } from '@mantine/core'
import { listAgents } from '@muster/contract/api/agents'
import { listSnippets, type Snippet } from '@muster/contract/api/snippets'
import { expandSnippets } from '@muster/rules/agents/script-variables'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { testScriptOnServer } from '@muster/contract/api/scripts'
import type { Output } from '@muster/contract/endpoint'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { RunView } from '../runs/RunView.tsx'
import { CopyAction } from '../../ui/inputs/CopyText.tsx'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import { endedOutput } from '../runs/output-text.ts'
import type { ScriptEdit } from './script-edit.ts'
import classes from './TestRun.module.css'
import { SERVER, useMayTestOnServer, useTestRun } from './use-test-run.ts'

/** Runs the code of the editor, saved or not, and shows the result. */
export function TestRunDialog({ edit, onClose }: { edit: ScriptEdit; onClose: () => void }) {
  const mayRun = useMay('can_run_scripts')
  const mayRunOnServer = useMayTestOnServer()
  const machines = useQuery({ ...query(listAgents, { query: { detail: 'false' } }), enabled: mayRun })
  const [target, setTarget] = useState<string | null>(null)
  const run = useTestRun(edit)
  const isOnServer = target === SERVER
  const snippets = useQuery({ ...query(listSnippets, {}), enabled: isOnServer })
  const codeWithSnippets = useMemo(
    () => expandCode(edit.code, snippets.data ?? []),
    [edit.code, snippets.data],
  )
  const { runId, onServer } = run.data ?? {}
  const groups = [
    ...(mayRunOnServer ? [{ group: 'Server', items: [{ value: SERVER, label: 'Muster server' }] }] : []),
    {
      group: 'Machines',
      items: (machines.data ?? []).map(({ agent_id, hostname, client, site }) => ({
        value: agent_id,
        label: `${hostname} (${client}, ${site})`,
      })),
    },
  ].filter(({ items }) => items.length > 0)
  return (
    <Dialog
      title="Test script"
      size="lg"
      onClose={onClose}
      why={target === null ? 'Choose a target.' : undefined}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            disabled={target === null || (isOnServer && snippets.data === undefined)}
            loading={run.isPending}
            onClick={() => target !== null && run.mutate({ place: target, codeWithSnippets })}
          >
            {run.data === undefined ? 'Run script' : 'Run again'}
          </Button>
        </>
      }
    >
      {run.error !== null && <FormError error={run.error} />}
      {mayRun && machines.data === undefined ? (
        <LoadingState error={machines.error} onRetry={() => void machines.refetch()} rows={2} />
      ) : (
        <Select
          label={mayRunOnServer ? 'Target' : 'Machine'}
          placeholder={mayRunOnServer ? 'Choose the server or a machine' : 'Choose a machine'}
          description={
            isOnServer
              ? 'Runs as the user of the server. Closing stops it.'
              : 'Runs the code of the editor with its arguments and variables.'
          }
          data={groups}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching machine"
          limit={200}
          value={target}
          onChange={setTarget}
          data-autofocus
        />
      )}
      {isOnServer && snippets.error !== null && (
        <LoadingState error={snippets.error} onRetry={() => void snippets.refetch()} rows={2} />
      )}
      {isOnServer && codeWithSnippets !== undefined && (
        <details className={classes.snippets}>
          <summary>Code with snippets</summary>
          <pre className="mono">{codeWithSnippets}</pre>
        </details>
      )}
      {runId !== undefined && <RunView key={runId} id={runId} />}
      {onServer !== undefined && <ServerTestView run={onServer} />}
    </Dialog>
  )
}

/** The code that runs on the server; undefined if it contains no snippet. */
function expandCode(code: string, snippets: readonly Snippet[]): string | undefined {
  const codes = new Map(snippets.map((snippet) => [snippet.name, snippet.code]))
  const expanded = expandSnippets(code, (name) => codes.get(name))
  return expanded === code ? undefined : expanded
}

/** Result and output of a run on the server itself. */
function ServerTestView({ run }: { run: Output<typeof testScriptOnServer> }) {
  const { retcode, reason, execution_time, stdout, stderr } = run
  const segments = useMemo(() => endedOutput(stdout, stderr), [stdout, stderr])
  return (
    <section aria-label="Test on the server">
      <div className={classes.head}>
        <span role="status">
          {retcode === null ? reason : `exit code ${retcode}`} · {execution_time.toFixed(1)} s
        </span>
        {segments.length > 0 && <CopyAction label="Copy output" text={() => `${stdout}${stderr}`} />}
      </div>
      <div className={classes.box}>
        <OutputBox label="Output" segments={segments} empty="No output" growing={false} />
      </div>
    </section>
  )
}
