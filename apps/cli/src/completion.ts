import type { Command } from 'commander'

export type CompletedShell = 'bash' | 'zsh' | 'fish'

interface Node {
  /** Names of the commands that lead here; empty = the program. */
  path: string
  commands: { name: string; description: string }[]
  options: { name: string; description: string }[]
}

/** A script for this shell that completes commands and options. It calls nothing: pressing Tab is fast. */
export function writeCompletion(program: Command, shell: CompletedShell): string {
  const nodes = listNodes(program, [])
  switch (shell) {
    case 'bash':
      return writeBash(nodes)
    case 'zsh':
      // It takes functions of bash, and has the same words.
      return `#compdef muster\nautoload -U +X bashcompinit && bashcompinit\n${writeBash(nodes)}`
    case 'fish':
      return writeFish(nodes)
  }
}

function listNodes(command: Command, path: string[]): Node[] {
  const help = command.createHelp()
  const visible = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  const ancestors = command.parent === null ? [] : globalOptions(command)
  const options = [...new Set([...visible, ...ancestors])].flatMap(({ long, description }) =>
    typeof long === 'string' ? [{ name: long, description }] : [],
  )
  const commands = command.commands.map((child) => ({ name: child.name(), description: child.description() }))
  const node = { path: path.join(' '), commands, options }
  return [node, ...command.commands.flatMap((child) => listNodes(child, [...path, child.name()]))]
}

function globalOptions(command: Command): readonly { long?: string | undefined; description: string }[] {
  return command.parent === null ? command.options : globalOptions(command.parent)
}

function writeBash(nodes: Node[]): string {
  // No variable is named `path`, which zsh ties to PATH.
  const cases = nodes.map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ name }) => name).join(' ')
    return `    '${path}') words='${words}' ;;`
  })
  return `_muster() {
  local level='' words='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$word" in
      --) return ;;
      -*) ;;
      *) case "\${level:+$level }$word" in
${nodes
  .filter(({ path }) => path !== '')
  .map(({ path }) => `        '${path}') level='${path}' ;;`)
  .join('\n')}
      esac ;;
    esac
  done
  case "$level" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _muster muster
`
}

function writeFish(nodes: Node[]): string {
  const lines = nodes.flatMap(({ path, commands, options }) => {
    const names = path.split(' ').filter((name) => name !== '')
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`)
    const below = commands.map(({ name }) => name).join(' ')
    const notBelow = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`]
    const condition = [...seen, ...notBelow].join('; and ')
    const start = `complete -c muster -n ${quoteFish(condition === '' ? 'true' : condition)}`
    return [
      ...commands.map(({ name, description }) => `${start} -f -a ${name} -d ${quoteFish(description)}`),
      ...options.map(({ name, description }) => `${start} -l ${name.slice(2)} -d ${quoteFish(description)}`),
    ]
  })
  return `complete -c muster -f\n${lines.join('\n')}\n`
}

function quoteFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}
