import type { ScriptContent } from '@muster/contract/api/scripts'
import { SHELL_LABELS, platformsLabel } from './script-words.ts'

/** What differs between two states of a script beside its code. */
export function diffContent(
  before: ScriptContent,
  after: ScriptContent,
): { label: string; from: string; to: string }[] {
  const [old, fresh] = [factsOf(before), factsOf(after)]
  return Object.keys(old)
    .filter((label) => old[label] !== fresh[label])
    .map((label) => ({ label, from: old[label] || 'empty', to: fresh[label] || 'empty' }))
}

function factsOf(content: ScriptContent): Record<string, string> {
  return {
    Name: content.name,
    Description: content.description,
    Category: content.category,
    Shell: SHELL_LABELS[content.shell],
    Platforms: platformsLabel(content.supported_platforms),
    Arguments: content.args.join(' · '),
    'Environment variables': content.env_vars.join(' · '),
    'Time limit': `${content.default_timeout} s`,
    'Syntax help': content.syntax,
    'Run as user': content.run_as_user ? 'yes' : 'no',
    'File name': content.filename,
  }
}
