import { parseAst } from 'rolldown/parseAst'

/**
 * A plugin that creates each schema on first use: an idle agent needs few of them. An expression that begins with `z.`
 * becomes `lazySchema(() => z...)`, except inside functions. `file` exports `lazySchema`.
 */
export function lazySchemas(file) {
  return {
    name: 'lazy-schemas',
    transform: {
      filter: {
        id: { include: /\.ts$/, exclude: [/node_modules/, /\.test\.ts$/] },
        code: /\bfrom ['"]zod['"]/,
      },
      handler(code) {
        const schemas = findSchemas(parseAst(code, { lang: 'ts' }))
        if (schemas.length === 0) return undefined
        let lazy = `import { lazySchema as __lazySchema } from ${JSON.stringify(file)}\n`
        let done = 0
        for (const { start, end } of schemas) {
          lazy += `${code.slice(done, start)}/* @__PURE__ */ __lazySchema(() => ${code.slice(start, end)})`
          done = end
        }
        return lazy + code.slice(done)
      },
    },
  }
}

/** The outermost expressions, in the order of the text. */
function findSchemas(node) {
  if (node === null || typeof node !== 'object') return []
  if (Array.isArray(node)) return node.flatMap(findSchemas)
  if (/Function|Class|^TS(Type|Interface)/.test(node.type)) return []
  if (node.type === 'CallExpression' && findRoot(node).name === 'z') return [node]
  return Object.values(node).flatMap(findSchemas)
}

/** `z` in `z.object({}).strict()`. */
function findRoot(node) {
  if (node.type === 'CallExpression') return findRoot(node.callee)
  return node.type === 'MemberExpression' ? findRoot(node.object) : node
}
