import type { PolicyDocument } from '@muster/contract/api/policies'
import type { PolicyTask } from '@muster/contract/policies/policy-content'
import { AppError } from '@muster/contract/errors'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { findTaskProblem, taskKey } from '@muster/rules/schedules/task-problems'
import type { Caller } from '../../platform/http/caller.ts'
import type { Db } from '../../platform/database/database.ts'
import { refuseBadField } from '../tasks/write-task.ts'
import type { PolicySet } from './policy-set.ts'

interface Documents {
  db: Db
  set: PolicySet
  document: PolicyDocument
  before: PolicyDocument | undefined
}

/** Refuses invalid tasks of a policy. */
export async function refuseBadTasks(
  caller: Caller,
  { db, set, document, before }: Documents,
): Promise<void> {
  const { tasks, checks } = document.content
  const known = new Map(before?.content.tasks.map((one) => [one.id, one]))
  const names = new Set<string>()
  for (const [index, one] of tasks.entries()) {
    const path = `content.tasks.${index}`
    const { task } = one
    const problem = findTaskProblem(task)
    if (problem !== undefined) refuse(`${path}.task.${problem.field}`, `${task.name}: ${problem.sentence}`)
    if (names.has(taskKey(task))) refuse(path, `The policy has two tasks named ${task.name}. Rename one.`)
    names.add(taskKey(task))
    refuseBadScripts(path, one, { set, known: known.get(one.id) })
    await refuseBadField(db, caller, { task, before: known.get(one.id)?.task, path: `${path}.task.` })
    if (task.task_type === 'checkfailure' && !checks.some(({ id }) => id === task.assigned_check)) {
      const sentence = `${task.name}: choose the check of this policy that starts it on failure.`
      refuse(`${path}.task.assigned_check`, sentence)
    }
  }
}

function refuseBadScripts(
  path: string,
  { task }: PolicyTask,
  { set, known }: { set: PolicySet; known: PolicyTask | undefined },
): void {
  // An existing task whose script was deleted may stay.
  if (JSON.stringify(known?.task.actions) === JSON.stringify(task.actions)) return
  for (const [index, action] of task.actions.entries()) {
    if (action.type !== 'script') continue
    const place = `${path}.task.actions.${index}`
    const script = set.scripts.get(action.script)
    if (script === undefined) refuse(`${place}.script`, `${task.name}: this script does not exist.`)
    const [problem] = completeParameters(script.parameters, action.env_vars).problems
    if (problem !== undefined)
      refuse(`${place}.parameters.${problem.name}`, `${task.name}: ${problem.sentence}`)
  }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}
