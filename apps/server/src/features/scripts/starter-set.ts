import { readFile } from 'node:fs/promises'
import { ScriptDetail, ScriptShell } from '@muster/contract/api/scripts'
import { z } from 'zod'

const FOLDER = new URL('../../../scripts/', import.meta.url)

const { shape } = ScriptDetail
const Index = z.object({
  scripts: z.array(
    z.object({
      /** Name of the file in the folder. Never change it: it identifies the script. */
      filename: z.string().regex(/^[a-z0-9-]+\.(sh|py|ps1)$/),
      name: shape.name,
      description: shape.description,
      category: shape.category,
      shell: ScriptShell,
      supported_platforms: shape.supported_platforms,
      args: shape.args,
      default_timeout: shape.default_timeout,
    }),
  ),
})
export type StarterScript = z.infer<typeof Index>['scripts'][number] & { script_body: string }

/** The built-in scripts in apps/server/scripts. */
export async function readStarterSet(): Promise<StarterScript[]> {
  const { scripts } = Index.parse(JSON.parse(await readFile(new URL('index.json', FOLDER), 'utf8')))
  return Promise.all(
    scripts.map(async (script) => ({
      ...script,
      script_body: await readFile(new URL(script.filename, FOLDER), 'utf8'),
    })),
  )
}
