import type { TemplateSource } from '@muster/rules/alerts/alert-template'

/** A template that a policy names for a machine or a site. */
export interface GivenTemplate {
  source: TemplateSource
  policy: number
  template: number
}

/** The columns `policy_templates`, which features/automation keeps in line with the policies. */
export function writeGiven(given: readonly GivenTemplate[]): string {
  return JSON.stringify(given)
}

export function readGiven(text: string | null): GivenTemplate[] {
  // Written by writeGiven above.
  return text === null ? [] : (JSON.parse(text) as GivenTemplate[])
}
