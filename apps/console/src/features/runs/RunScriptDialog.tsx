import { Checkbox, Select } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { runScript } from '@muster/contract/api/runs'
import { listScripts, type Script } from '@muster/contract/api/scripts'
import { scriptCan } from '@muster/rules/agents/available-actions'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useDashInfo } from '../../app/api/queries.ts'
import { EnvironmentFields } from '../scripts/EnvironmentFields.tsx'
import { ArgumentsField, NoScripts } from '../scripts/ScriptFieldset.tsx'
import { AgentDialog } from '../agents/AgentItemDialog.tsx'
import { RunDialog } from './RunDialog.tsx'
import { RunOptions } from './RunOptions.tsx'
import {
  checkRunOptions,
  checkVariable,
  DEFAULT_WAIT,
  groupScripts,
  type RunOptionsForm,
  toRunOptions,
} from './run-form.ts'

/** Runs a script on a machine. The address holds the machine, and optionally the script: `AGENTID.12`. */
export function RunScriptDialog({ item, close }: AddressedDialogProps) {
  const [agentId, scriptId] = (item ?? '').split('.')
  return (
    <GuardedDialog title="Run script" needs="can_run_scripts" onClose={close}>
      <AgentDialog title="Run script" agentId={agentId} onClose={close} size="lg">
        {(agent) => <ScriptDialog agent={agent} scriptId={scriptId} close={close} />}
      </AgentDialog>
    </GuardedDialog>
  )
}

interface ScriptForm extends RunOptionsForm {
  script: string | null
  args: string[]
  variables: string[]
  asNote: boolean
}

interface ScriptDialogProps {
  agent: AgentDetail
  scriptId: string | undefined
  close: () => void
}

function ScriptDialog({ agent, scriptId, close }: ScriptDialogProps) {
  const showCommunity = useDashInfo()?.show_community_scripts !== false
  const {
    data: scripts,
    error: loadError,
    refetch,
  } = useQuery(query(listScripts, { query: { showCommunityScripts: showCommunity ? 'true' : 'false' } }))
  // Values that were chosen or typed here; until then the script's and the machine's defaults.
  const [form, setForm] = useState<Partial<ScriptForm>>({ script: scriptId ?? null })
  const [runId, setRunId] = useState<number>()
  const script = scripts?.find(({ id }) => `${id}` === form.script)
  const values: ScriptForm = { ...suggestedForm(script), ...form }
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: Script) =>
      call(runScript, { params: { agent_id: agent.agent_id }, body: toBody(chosen, values) }),
    meta: { errorsShown: true },
    onSuccess: ({ id }) => setRunId(id),
  })
  const errors = checkRunOptions(values)
  const can = script === undefined ? undefined : scriptCan.run(script, agent)
  const [missing] = completeParameters(script?.parameters ?? [], values.variables).problems
  const isValid =
    missing === undefined &&
    Object.keys(errors).length === 0 &&
    values.variables.every((text) => checkVariable(text) === null)
  return (
    <RunDialog
      title={`Run script on ${agent.hostname}`}
      agent={agent}
      runId={runId}
      canStart={can?.allowed === true && isValid && !isPending}
      why={
        script === undefined
          ? 'Choose a script.'
          : can?.allowed === false
            ? 'This script cannot run on this machine.'
            : isValid
              ? undefined
              : (missing?.sentence ?? 'Some fields are missing or invalid.')
      }
      starting={isPending}
      error={error}
      startLabel="Run script"
      onStart={() => script && mutate(script)}
      onClose={close}
    >
      {scripts === undefined ? (
        <LoadingState error={loadError} onRetry={() => void refetch()} />
      ) : scripts.length === 0 ? (
        <NoScripts />
      ) : (
        <>
          <Select
            label="Script"
            placeholder="Choose a script"
            data={groupScripts(scripts, agent.plat)}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No matching script for this platform"
            maxDropdownHeight={320}
            value={values.script}
            error={can?.allowed === false ? can.reason : undefined}
            description={script?.description || undefined}
            onChange={(next) => setForm({ script: next })}
            // Scripts may load after the dialog has set its initial focus.
            {...(scriptId === undefined ? { 'data-autofocus': true, autoFocus: true } : {})}
          />
          {script !== undefined && (
            <>
              <ArgumentsField
                description={script.syntax}
                values={values.args}
                onChange={(args) => setForm((old) => ({ ...old, args }))}
              />
              <EnvironmentFields
                parameters={script.parameters}
                values={values.variables}
                onChange={(variables) => setForm((old) => ({ ...old, variables }))}
              />
              <RunOptions
                agent={agent}
                form={values}
                errors={errors}
                onChange={(change) => setForm((old) => ({ ...old, ...change }))}
              />
              <Checkbox
                label="Save the output as a note of the machine"
                checked={values.asNote}
                onChange={(event) => {
                  const asNote = event.currentTarget.checked
                  setForm((old) => ({ ...old, asNote }))
                }}
              />
            </>
          )}
        </>
      )}
    </RunDialog>
  )
}

function suggestedForm(script: Script | undefined): ScriptForm {
  return {
    script: null,
    args: script?.args ?? [],
    variables: script === undefined ? [] : completeParameters(script.parameters, script.env_vars).env_vars,
    timeout: script?.default_timeout ?? 90,
    runAs: script?.run_as_user === true ? 'signedIn' : 'agent',
    userName: '',
    expiresIn: DEFAULT_WAIT,
    asNote: false,
  }
}

function toBody(script: Script, form: ScriptForm) {
  return {
    script: script.id,
    args: form.args,
    env_vars: form.variables.filter((text) => text !== ''),
    output: form.asNote ? ('note' as const) : ('wait' as const),
    ...toRunOptions(form),
  }
}
