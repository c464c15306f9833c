import type { StateMeaning } from '../../../contract/integrations.ts';

/** How words of a state are read. A problem, an alarm or an incident may be over too: such nouns decide only alone. */
export type WordKind = StateMeaning | 'noun' | 'not';

/**
 * Beginnings of words, without accents and in lower case; `=` before one that is the whole word. What may mean either, such
 * as "stopped" or "updated", is left out on purpose: an unknown word is asked about, a wrong one would lose a failure.
 */
export const STATE_WORDS: Readonly<Record<string, Readonly<Partial<Record<WordKind, string>>>>> = {
  en: {
    over: `=ok =okay =okey resolv solv close closing normal recover =up online heal =green success succeed complet restor
      =pass passed passes passing fixed =end ended ends =ending finish =clear cleared clears clearing =good =fine =stable
      alive =alright availab reachab operational connected mitigat remediat lifted subsid =gone =over =done =working
      responding responsive =back dismiss archived satisf allclear settled =valid =safe =calm =nominal repaired cured
      =met =cease ceased`,
    fails: `=fail failed fails failing trigger =fire =fired =firing open down offline degrad breach broke =red =bad
      =major =minor warn alerting activ start =begin began begun =beginning raise raising creat =new detect occur flap
      timeout =timed exceed violat overload crash =dead =lost missing missed =late stall panic emergen fatal disaster
      critical =crit severe urgent =high =highest paged escalat ongoing continu persist remain still remind renotif repeat
      nodata investigat identified unknown =sick =impaired =poor =unstable overdue expiring =page blocked corrupt =ko
      =abort aborted`,
    noun: 'failure problem alarm alert error incident issue outage fault trouble =disruption =monitoring',
    acknowledged: 'acknowledg acknoledg =ack =acked =acking',
    ignored: '=test =testing =ping ignor silenc mute snooz suppress =maintenance comment annotat =note =noted assign',
    not: '=not =no =non =never =isnt =cannot =cant =without =nor =unable =out',
  },
  de: {
    over: `behob gelost geschlossen beend erledig wiederher =wieder erreichbar verfugbar gesund entwarn aufgehoben
      abgeschlossen erfolgr bereinig reparier funktionier =ende =grun genesen intakt stabil vorbei =gut`,
    fails: `aktiv ausgelos ausgefall gestor fehlgeschl offen kritisch eroffn aufgetret =neu defekt kaputt =rot uberschrit
      unterbroch scheiter begonn gestartet anhalt schwer dringend abgesturzt`,
    noun: 'storung fehler ausfall meldung vorfall',
    acknowledged: 'bestatigt quittier ubernommen',
    ignored: 'stummgeschal wartung zugewiesen',
    not: '=nicht =kein =keine =keinen =ohne =nie =nichts',
  },
  fr: {
    over: `resolu ferme clotur retabli termin repare corrige disponib repris reprise reussi =sain =saine =vert leve
      =levee fini =fin gueri joignable acheve`,
    fails: `declench ouvert actif echou critique avertis nouve depass rouvert bloque =coupe injoignable grave survenu
      commence`,
    noun: 'panne echec erreur =alerte probleme',
    acknowledged: 'acquitt reconnu',
    ignored: 'maintenance attribue',
    not: '=pas =aucun =aucune =sans =jamais =ne =hors',
  },
  es: {
    over: `resuelt cerrad recuper restablec restaur finaliz solucion disponib exito correg correct reparad =verde =sano
      superad conclu =fin`,
    fails: `abiert disparad disparand fallid falland fallado caid critic advert nuev detectad excedid =roto interrump iniciad ocurrid
      =grave urgente`,
    noun: 'fallo falla problema alerta alarma averia incidencia',
    acknowledged: 'reconocid',
    ignored: 'mantenimiento asignad',
    not: '=no =sin =nunca =ningun =fuera',
  },
  pt: {
    over: 'resolvid fechad restabelec encerrad disponiv sucesso corrig saudavel consertad =fim',
    fails: 'abert disparou ativ falhou falhando caiu =novo =nova excedid indispon iniciad reabert quebrad ocorr',
    noun: 'falha erro',
    acknowledged: 'reconhecid',
    ignored: 'manutencao atribuid',
    not: '=nao =sem =nenhum =fora',
  },
  it: {
    over: 'risolt chius ripristin rientrat =successo corrett riparat =sana conclus raggiungibil',
    fails: 'attiv apert scattat guast fallit avvis =nuovo =nuova superat cadut riapert iniziat interrott',
    noun: 'errore allarme allerta',
    acknowledged: 'confermat',
    ignored: 'manutenzione assegnat',
    not: '=senza =mai =nessun =fuori',
  },
  nl: {
    over: `opgelost gesloten herstel normaal afgerond beeindig beschikbaar bereikbaar gezond afgesloten verholp voltooid
      =groen gelukt =einde`,
    fails:
      'actief geopend geactiv mislukt kritiek waarschuw =nieuw uitgevall gestart overschred kapot heropend opgetred',
    noun: 'storing =fout =fouten melding',
    acknowledged: 'bevestigd erkend',
    ignored: 'onderhoud toegewezen',
    not: '=niet =geen =zonder =nooit',
  },
};

/** Languages that do not part words: what is in the text. */
export const STATE_PARTS: Readonly<Partial<Record<WordKind, string>>> = {
  over: '復旧 解決 回復 正常 解除 完了 終了 恢复 恢復 解决 关闭 關閉 完成 结束 結束 成功 복구 해결 정상 종료 완료 해제',
  fails:
    '発生 異常 障害 失敗 警告 重大 発報 検知 触发 觸發 告警 异常 故障 失败 严重 嚴重 发生 错误 발생 장애 실패 경고 심각',
  acknowledged: '確認済 已确认 已確認 认领 확인됨',
  not: '未 不 無 无 没',
};

/** Phrases of several words, as one word of the list above. */
export const STATE_PHRASES: Readonly<Record<string, WordKind>> = {
  'no data': 'fails',
  'in ordnung': 'over',
  'en ligne': 'over',
  'en linea': 'over',
  'hors service': 'fails',
  'hors ligne': 'fails',
  'en cours': 'fails',
  'en curso': 'fails',
  'em andamento': 'fails',
  'in corso': 'fails',
  'fuera de servicio': 'fails',
  'fora do ar': 'fails',
  'fora de servico': 'fails',
  'fuori servizio': 'fails',
  'out of service': 'fails',
  'out of order': 'fails',
  'pris en charge': 'acknowledged',
  'preso in carico': 'acknowledged',
};

/** Syllables before a word that turn it into its contrary, and one that repeats it. */
export const NEGATING_PREFIXES = ['un', 'in', 'de', 'des', 'dis', 'non', 'ab', 'im', 'on'];
export const REPEATING_PREFIXES = ['re', 'wieder', 'her'];
