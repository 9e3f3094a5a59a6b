import {
  DefaultReporter,
  type TestCase,
  type TestModule,
  type TestSpecification,
  type TestSuite,
} from 'vitest/node'

type Count = { done: number; total: number }

/** Vitest's own report, each file with its number: which of how many, and of how many in its project. */
export class ProgressReporter extends DefaultReporter {
  readonly #all: Count = { done: 0, total: 0 }
  readonly #projects = new Map<string, Count>()

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    Object.assign(this.#all, { done: 0, total: specifications.length })
    this.#projects.clear()
    for (const { project } of specifications) this.#countOf(project.name).total += 1
    const projects = [...this.#projects].map(([name, { total }]) => `${name} ${total}`)
    this.log(` ${specifications.length} test files: ${projects.join(', ')}`)
    super.onTestRunStart(specifications)
  }

  override onTestModuleEnd(testModule: TestModule): void {
    this.#all.done += 1
    this.#countOf(testModule.project.name).done += 1
    super.onTestModuleEnd(testModule)
  }

  protected override getEntityPrefix(entity: TestCase | TestModule | TestSuite): string {
    const prefix = super.getEntityPrefix(entity)
    if (entity.type !== 'module') return prefix
    const { done, total } = this.#countOf(entity.project.name)
    return `${String(this.#all.done).padStart(3)}/${this.#all.total} ${prefix}${done}/${total} `
  }

  #countOf(project: string): Count {
    const count = this.#projects.get(project) ?? { done: 0, total: 0 }
    this.#projects.set(project, count)
    return count
  }
}
