/** Words that decide whether what looks like a name is one. */

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((word) => word !== ""));

/** Given names that are also words, places, months, brands or machines: alone they say nothing, with a family name they do. */
export const AMBIGUOUS = words(`
  Abbey Afro Alba Alexa Alexandria Adelaide Alta Amber Amity Amor Angel Ángel Ange Ángeles Anges Annunziata April Arch Archange Argo Ariel Art Asia Aspen Aube Aubin Auburn August
  Aurora Austin Autumn Ave Baby Bailey Banks Baron Basil Beau Bell Bella Bent Berlin Berry Beryl Bianco Bill Blanca Blanche Blaze Bliss Bonita Bonfilio Boston Brandy
  Brook Brooke Brooklyn Brooks Buck Bud Buddy Burg Cali Can Candelaria Candelario Candid Candida Candido Candy Caprice Cara Carmel Carol Carolina Casper Celeste Celestial
  Chad Chance Charity Charlotte Chase Chaste Chelsea Cherry Cheyenne China Christian Cielo Cinderella Claro Clay Clemence Cleo Cleve Cleveland Clementine Clio Clovis Cole Colt Columbus Concepción Concetta 
  Constant Coral Cordial Corte Cotton Coy Creola Crescenzo Cristal Cristo Cruz Crystal Cyan Dakota Dale Dallas Dawn Dayton Dean Dee Deja Delicia Delight Delta Denver Desire Desiderio Destiny Destin
  Diamond Dino Dios Diva Dock Domingo Don Dora Dorado Drew Duke Duncan Durward Dusty Earl Earth Easter Easton Ebony Echo Eden Edison Else Elmo
  Emerald Emerson Ernst Eros Esperanza Essence Esta Estrella Eve Ever Everest Evangelista Evo Faith Falco Falk Favor Felice Felicity Fern Fidelis Fine Finn Fiore Flavor Fleur Flor Flora Florence Florencia 
  Florida Floy Foca Ford Forest Forrest Fortunato Fortune Fox Foster France Francia Frank Freed Freeman Fritz Gage Gail Galaxy Garnet Garret Gaudi Gay Gaia Gene General Genesis Geneva Genoveffa Georgia
  Germain Germán German Germany Gibson Ginger Gioia Giove Giordano Giusto Glen Gloria Golda Golden Grace Gracia Gracias Grady Graham Grant Gratis Gray Green Grover Guadalupe Guy Gus Gust Hailey
  Halo Happy Harley Harmony Harper Haven Hazel Heath Heather Heaven Heide Herbe Heritage Hero Hilton Holly Honor Honorable Hope Houston Hunter Idea Immacolata Imperial Independence India Indigo Infinity
  Innocent Iris Isa Israel Ivory Ivy Jack Jackpot Jade Jaguar Jamaica Jan January Jasmin Jasmine Java Jena Jersey Jesus Jet Jett Jewel Jewell Job Johns Joie Jolie Jordan Journey
  Joy Jubilee Judge Jule Junio Julia July June Junior Junius Jupiter Justice Justus Kai Kane Karma Keen Kelvin Kent Kenya King Kingston Kip Kitty Lacy Lafayette Lake Lance Land Lane Laurel Lauretta
  Lavender Law Lea Lead Leaf Lean Lee Legend Lenin Lens Liberal Liberty Libero Liberta Libertà Lia Liane Liberio Light Lillà Lily Lima Lincoln Linde Line Lindo Linux Lion Lisboa Logan London Long Longino Loreto Lotus Lou Loup 
  Love Loyal Luck Lucky Luna Luz Lyon Lyric Mack Macy Madison Madonna Magdalena Magnolia Mai Maggio Maggie Major Mallory Malta Mandy Manila Mano Manor Mar Marche Marina Marine Maria-Stella Mark Marla Mars Marshal Marshall Martian 
  Marvel Mason Matriz Matt Maverick Max Maximo Maxi Máximo May Maya Mayor Mayra Meadow Media Melodie Melody Melon Mercedes Merci Mercy Mercurio Merit Merle Merlin Merlot Merry Messiah Meta Mexico Miami Micky Milagro Milan Milano Miles
  Millennium Million Miracle Mirage Misael Misty Modest Modesta Modesto Monserrate Montana Monte Montserrat Moon Mozart Muse Myrtle Name Napoleon Nash Nasir Natal Natale Nation Natividad Nature Navarro Neva Nevada Never Newton Nice Nieves Nike Nikon Nine Nino Noble
  Noel Noël Nola Normal North Norway Nova Novella Nuncio Nuova Oasis Oceane Ocean Octavia Octave Olive Olimpia Olimpo Olympia Olympe Omega Ona Onda Opal Ora Oral Oracle Orange Oriente Orion Orlando Oro Orpheus Ottavo
  Ova Pace Page Paige Palma Pansy Pandora Paris Parfait Parker Pascua Pasqua Pat Patience Patria Paz Peace Pearl Pearlie Peer Penny Pepper Perfecto Perla Perpetua Petunia Phoenix Piedad Pie Pierce Pilar
  Pink Pippa Pit Piper Placido Plácido Plácida Poppy Porter Porto Portia Précieuse Precious Presley Price Prima Primavera Primitivo Primo Prince Princess Princesse Principe Prisma Prospero Providence Providenci Prudence Queen Queenie Quince Quinn Quinto Rain Raison Ransom Raven Ray
  Rebelle Red Reed Regal Regan Regina Reine Regulo Reid Reina Remus Reno Rex Rey Reyes Rhea Rice Rich Richmond Rigel Rio River Rivers Roan Rob Robin Roche Rock Rocky Rod Roma Romain Romana Romano  
  Rosa Rosario Rosé Rose Rosemary Rosso Rowan Royal Rubia Ruby Rufo Rush Russ Russia Rust Rusty Sacro Sage Said Saint Salomé Salsa Salvador Samba Sandy Sante Santa Santiago Santina Santo Santos Sapphire Saturnino Saturn Savanna Savannah Scarlet Scarlett
  Schmidt Scot Scotland Scott Secondo Secundus Serena Sereno Serenità Serenity Severe Severo Shade Shakira Shell Shelby Shine Sicilia Sienna Sierra Silver Silvestre Sincere Siri Sixtus Sky Skye Skylar Smart Socorro Socrates Sol Solana Solange Soledad Sole Son Sonny Sonne South Speranza Spring Star Stella Stelle Sterling
  Stern Stone Storm Sue Suite Summer Sunday Sunny Sunshine Susa Sydney Sylvester Taylor Tatum Tea Temperance Tempest Terra Thor Tiger Tiffany Til Till Timo Tito Titus Toledo Tomato Torrance Toy Trace Travel Treasure Trenton Tre Trey Trinidad Trinity Trinité Trionfo Trista Triton
  True Tulip Turner Turquoise Tuscany Tyson Uno Unique Unity Uranio Urban Urbano Valencia Valentine Valère Vallie Valor Van Vega Velvet Velva Venise Venezia Venus Verde Verdi Verdiana Vergil Vermont Verona Verna Verona Véronique Versailles Vesta Veta Victoria Victory Vida Vienna Viktoria Vin 
  Vinci Viola Violet Violeta Violette Virgin Virginia Virginie Virgo Vita Vitória Vitoria Vittoria Viva Vivaldo Vox Wade Walker Waldo Ward Warner Warren Washington Watson Wave Webster Wellington Weston Will Willow Wilson Windy Winter Wolf Wood Woody Yen York Young Zion Zen  
  Claude Gemini Cortana Watson Tesla Ada Atlas Mira Clippy Jenkins Maven Django Kafka Celery Travis Jupyter Julia Ruby Perl Gradle Swift Delphi Eiffel Haskell Kotlin Alexia
  Dolores Pascal Vasco Jackson Johnson Murphy Thompson Anderson Williams Harrison Hudson Dawson Nelson Lawson Tucker Sawyer Carter Cooper Tanner Taylor Morgan Mac Aida Bentley Ferrari Lancia Porsche
`);

/** Words that begin sentences, letters and headings, and are no names whatever stands around them. */
export const NO_NAMES = words(`
  The A An And But Or If When While After Before Then This That These Those It He She We You They I In On At By For From With About As Is Are Was Were Be Been Do Does Did Have Has Had Can Could Will Would Shall Should May Might Must Not No Yes Please Thanks Thank Hi Hello Hey Dear Best Kind Warm Regards Sincerely Cheers Love Good Great Happy New Old Big Small Let My Your His Her Our Their Its Who What Which Where Why How There Here Now Today Tomorrow Yesterday Also Because So Just Only Very Well Still Even
  Sir Madam Team All Everyone Everybody Customer Client User Admin Support Friends Colleagues Students Parents Guests Members Sirs Mom Dad Mum Grandma Grandpa Santa Diary World There Folks Guys Ladies Gentlemen Reader Hiring Manager Committee Editor Neighbour Neighbor Neighbours Neighbors Teacher Doctor Officer President Minister Chancellor Senator Secretary Director Chairman Chair Speaker Ambassador General Colonel Major Captain Sergeant Lieutenant Pepper Strange Who Universe America World Right Wrong
  Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December English Spanish French German Portuguese Italian American British European Chinese Japanese Russian Indian Mexican Brazilian Canadian Australian Catholic Christian Muslim Jewish Olympic Nobel
  El La Los Las Un Una Unos Unas Y O Pero Si Cuando Mientras Después Antes Este Esta Estos Estas Ese Esa Eso Aquel Yo Tú Él Ella Nosotros Ustedes Ellos Ellas Usted En De Del Al Con Por Para Sin Sobre Entre Hasta Desde Es Son Era Fue Ser Está Están Hay Ha Han No Sí Hola Gracias Buenos Buenas Estimado Estimada Estimados Querido Querida Queridos Atentamente Saludos Señor Señora Señores Señorita Doña Don Mi Tu Su Nuestro Nuestra Quién Qué Cuál Dónde Cómo Cuándo Hoy Mañana Ayer También Porque Lunes Martes Miércoles Jueves Viernes Sábado Domingo Enero Febrero Marzo Abril Mayo Junio Julio Agosto Septiembre Octubre Noviembre Diciembre Cliente Clientes Equipo Todos Todas Amigo Amiga Amigos Español Mundo Presidente Ministro Director Doctor
  Le Les Une Et Ou Mais Quand Pendant Après Avant Ce Cet Cette Ces Je Tu Il Elle Nous Vous Ils Elles On Dans Sur Sous Avec Sans Pour Par Entre Vers Chez Est Sont Était Être Avoir Non Oui Bonjour Bonsoir Salut Merci Cher Chère Chers Cordialement Monsieur Madame Mademoiselle Messieurs Mesdames Mon Ma Mes Ton Ta Tes Son Sa Ses Notre Votre Leur Qui Que Quoi Quel Quelle Où Comment Pourquoi Aujourd Demain Hier Aussi Lundi Mardi Mercredi Jeudi Vendredi Samedi Dimanche Janvier Février Mars Avril Mai Juin Juillet Août Septembre Octobre Novembre Décembre Client Clients Cliente Équipe Tous Toutes Président Ministre Directeur Directrice Docteur Maître Tout Monde
  Der Die Das Ein Eine Einen Einem Einer Und Oder Aber Wenn Als Während Nach Vor Dieser Diese Dieses Ich Du Er Sie Es Wir Ihr Im Am Auf An Mit Ohne Für Von Vom Zu Zum Zur Bei Beim Aus Über Unter Zwischen Bis Seit Ist Sind War Waren Sein Haben Hat Nein Ja Bitte Danke Hallo Guten Liebe Lieber Liebes Sehr Geehrte Geehrter Grüße Gruß Viele Freundliche Mein Meine Dein Deine Unser Unsere Wer Was Wo Wie Wann Warum Welche Welcher Heute Morgen Gestern Auch Weil Dass Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag Januar Februar März April Mai Juni Juli August September Oktober November Dezember Herr Herrn Frau Damen Herren Kunde Kunden Kundin Team Alle Kollegen Freunde Präsident Kanzler Minister Direktor Doktor Holle Welt Nur Noch Dann Doch Man
  Um Uma Uns Umas E Ou Mas Se Quando Enquanto Depois Antes Este Esta Esse Essa Isso Isto Aquele Eu Você Ele Ela Nós Vocês Eles Elas Em No Na Nos Nas Do Da Dos Das Ao À Com Por Para Sem Sobre Entre Até Desde É São Era Foi Ser Está Há Não Sim Olá Oi Obrigado Obrigada Bom Boa Prezado Prezada Prezados Caro Cara Caros Querido Querida Atenciosamente Abraços Senhor Senhora Senhores Dona Meu Minha Seu Sua Nosso Nossa Quem Que Qual Onde Como Porquê Hoje Amanhã Ontem Também Porque Segunda Terça Quarta Quinta Sexta Sábado Domingo Janeiro Fevereiro Março Abril Maio Junho Julho Agosto Setembro Outubro Novembro Dezembro Cliente Clientes Equipe Equipa Todos Todas Amigos Doutor Doutora Presidente Ministro Diretor Mundo
  Il Lo I Gli Uno Una Ed Ma Se Quando Mentre Dopo Prima Questo Questa Quello Quella Io Tu Lui Lei Noi Voi Loro Nel Nella Di Dal Dalla Con Su Sul Sulla Per Tra Fra Senza È Sono Era Essere Ha Hanno No Sì Ciao Grazie Buongiorno Buonasera Salve Gentile Gentili Egregio Cordiali Saluti Distinti Signore Signora Signor Signorina Signori Mio Mia Tuo Tua Suo Sua Nostro Chi Che Quale Dove Come Perché Oggi Domani Ieri Anche Lunedì Martedì Mercoledì Giovedì Venerdì Sabato Domenica Gennaio Febbraio Aprile Maggio Giugno Luglio Settembre Ottobre Dicembre Cliente Clienti Squadra Tutti Tutte Amici Dottore Dottoressa Avvocato Ingegnere Presidente Ministro Direttore Mondo
  Dr Prof Mr Mrs Ms Miss Herr Frau Mme Mlle Sig Sra Srta Avv Ing Dott Sgt Capt Nurse Coach Uncle Aunt Tío Tía Tio Tia Oncle Tante Onkel Zio Zia Nonna Nonno Abuela Abuelo Oma Opa Papá Mamá Maman Papa
  Schwester Bruder Nachbar Nachbarin Freund Freundin Kollege Kollegin Chef Chefin Tochter Sohn Mutter Vater Mieter Mieterin Kunde Kundin Lehrer Lehrerin Arzt Ärztin Mom's Employee Contact Patient Passenger Witness Suspect Author Actor Actress Singer Writer Painter Composer
  Http Https Www Api Json Xml Html Css Sql Url Pdf Ceo Cto Cfo Usa Uk Eu Un Pm Am Ok Faq Id Number Name Email Phone Address Date Time Subject Re Fwd Cc Order Account Invoice Ticket
`);

/** What follows makes a place, an institution or a thing of it. */
export const THINGS = words(`
  Institut Instituts Akademie Platz Ring Haus Preis Halle Klinikum Schule Gymnasium Oberschule Gesamtschule Kaserne Ufer Brücke
  Memorial Fountain Statue Monument Stiftung Kaserne Arena Lecture Lectures Library Elementary Middle Terminal Cathedral Chapel Tower Hall Center Centre Stadium Theatre Festival Scholarship Fellowship Archive Collection Suite Symphony Sonata Edition Method Model Scale Test Index Effect Theorem Equation
  Street St Avenue Ave Road Rd Boulevard Blvd Lane Drive Court Place Square Terrace Way Highway University College School Academy Institute Hospital Clinic Airport Station Park Gardens Garden Bridge Bank Inc Corp Corporation Company Co Ltd Limited LLC LLP PLC GmbH AG SE KG SA SAS SARL SpA Srl Ltda SL Group Holdings Partners Associates Foundation Trust Prize Award Awards Medal Cup Trophy Open Day Days Week Weekend Stadium Arena Museum Gallery Theatre Theater Church Cathedral Chapel Island Islands River Lake Bay Beach Falls Mountain Mountains Valley Hills Hill Peak Cape Creek Desert Forest Castle Palace Tower Towers Center Centre Building House Hotel Inn Resort Restaurant Café Cafe Bar Grill Pizza Pizzeria Bakery Library Press Books Publishing Records Studios Pictures Media News Times Post Gazette Herald Journal Magazine Theorem Lemma Equation Law Laws Act Amendment Doctrine Disease Syndrome Test Scale Index Effect Method Algorithm Model Number Constant Curve Process Transform Distribution Conference Summit Show Festival Club FC United City County State Province Island Republic Party Airlines Air Motors Cars Beer Wine Whiskey Whisky Chocolate Cookies Sauce Coffee Tea Ice Airways Cola Mode API SDK Server Cloud Pro Max Mini Plus Ultra Edition Release Version Project Protocol Framework Plan Report Case Clock Awards League Division Army Navy Force Fleet Class Series Collection
  Straße Strasse Platz Allee Weg Haus Schule Universität Stiftung Bahnhof Flughafen Preis Klinik Verlag Theater Gymnasium Institut Museum Denkmal Brücke
  Hermanos Hnos Fils Frères Irmãos Fratelli Söhne Sons Brothers Bros
`);

/** What stands before makes a place, a saint, an institution or a thing of it. */
export const THINGS_BEFORE = words(`
  Saint Sainte St Ste San Santa Santo São Sant Sankt Lake Lago Lac Mount Mt Monte Mont Port Porto Puerto Fort Cape Cabo Cap Hurricane Storm Typhoon Huracán Ouragan Camp Calle Rue Via Rua Avenida Avenue Plaza Place Piazza Praça Paseo Largo Boulevard Hotel Hôtel Universidad Universidade Université Università Universität University College Hospital Hôpital Ospedale Flughafen Bahnhof Krankenhaus Klinik Colegio Colégio Escuela Escola École Scuola Lycée Collège Liceo Instituto Institut Istituto Aeropuerto Aéroport Aeroporto Aeroport Estadio Estádio Stade Stadio Museo Museu Musée Museum Teatro Théâtre Parque Parc Parco Puente Ponte Pont Villa Isla Ilha Île Isola Project Operation Operación Opération Operazione Theater Fundación Fundação Fondation Fondazione Stiftung Premio Prêmio Prix Banco Banca Banque Casa Maison Castillo Château Castello Torre Tour Río Rio Rivière Fiume Port Camino Chemin Catedral Cathédrale Cattedrale Basilica Iglesia Église Chiesa Igreja Clínica Clinique Clinica Editorial Grupo Groupe Gruppo Bar Café Restaurante Restaurant Ristorante Trattoria Pizzeria Bodegas Barrio Colonia Quartier Bairro Quartiere Stadt Schloss Haus Team Windows Ubuntu Debian Android macOS Apache IBM Microsoft Google Amazon Apple Hey Ok Ave Notre Nossa Nuestra Nostra
`);

/** Given names that are places first: with a word that is no family name they are that place's. */
export const PLACES = words(`
  Virginia Carolina Georgia Dallas Austin Houston Boston Denver Madison Charlotte Jackson Lincoln Washington Cleveland Columbus Phoenix Savannah Florence Verona Milan Paris London Sydney Chelsea Brooklyn Jordan Israel Kenya China India Jamaica Santiago Victoria Alexandria Adelaide Valencia Trinidad Salvador Toledo Guadalupe Mercedes Asia Berlin Lisboa Milano Roma Venezia Montana Nevada Dakota Cheyenne Orlando Reno Geneva Vienna Catalina Sierra Delta Alba Lima Florencia France Francia Russia Scotland Norway Mexico Miami Malta Manila Olympia Aurora Santa San Christian April May June August Summer Autumn Winter Spring Easter Sunday
`);

/** Brands, places and a ship that have somebody's name. */
export const NOBODY: ReadonlySet<string> = new Set([
  "Calvin Klein",
  "Ralph Lauren",
  "Jack Daniels",
  "Johnnie Walker",
  "Johnny Walker",
  "Aston Martin",
  "Jackson Hole",
  "Mary Celeste",
  "Louis Vuitton",
  "Wells Fargo",
  "Hugo Boss",
  "Tommy Hilfiger",
  "Michael Kors",
  "Christian Dior",
  "Harley Davidson",
  "John Deere",
  "Jim Beam",
  "Merrill Lynch",
  "Morgan Stanley",
  "Charles Schwab",
  "Goldman Sachs",
  "Ford Mustang",
  "Robin Hood",
  "Uncle Sam",
  "Don Juan",
  "Don Quijote",
  "Don Giovanni",
  "Mona Lisa",
  "Marco Polo",
  "Virgin Mary",
  "Bloody Mary",
  "Tom Yum",
  "Ave Maria",
  "Pink Floyd",
  "Rosa Parks Station",
]);

/** Given names that the lists lack: those of other years, and of people from elsewhere who live where these languages are spoken. */
export const MORE_GIVEN: ReadonlySet<string> = words(`
  Dieter Heike Uwe Jürgen Günter Günther Helmut Wolfgang Gisela Renate Monika Birgit Karin Ingrid Angelika Heinz Manfred Horst Rainer Reiner Klaus Jörg Ralf Holger Torsten Thorsten Volker Silke Ulrike Elke Ute Anke Kerstin Lieselotte Siegfried Detlef Hartmut Eberhard Heribert Jutta Bettina Gudrun Hannelore Roswitha Waltraud Annegret Gerd Jochen Joachim Hubert Norbert Lothar Egon Bertolt Rüdiger Burkhard
  Mathieu Gaëtan Loïse Maëlle Maël Jean-Luc Jean-Paul Jean-Pierre Marie-Claire Anne-Sophie Rodrigue Solenne Ghislaine Huguette Mireille Josiane Jocelyne
  Thiago Conceição Márcio Flávio Cláudia Patrícia Vinícius Otávio Aparecida Raimundo Neide Rosângela Thaís Priscila Sónia Sônia Mônica Lucimar Valdir Jussara Adriano Iolanda Graça
  Álvaro Penélope Natividad Adrián Nuria Montserrat Begoña Encarnación Remedios Aitor Ainhoa Sebastián Lautaro Facundo Macarena Maite Itziar Asunción Fermín Cayetana Nati Paco Pepe Chema Lola Charo
  Siobhan Kwame Ifeoma Clive Gareth Rhys Imogen Philippa Hamish Callum Niamh Aoife Sinead Oisin Priya Raj Anil Sanjay Sunita Deepa Vikram Lakshmi Rajesh Suresh Ramesh Pooja Zainab Khadija Bilal Tariq Imran Nadia Ayşe Dmitri Svetlana Sergei Alexei Mikhail Yevgeny Katarzyna Agnieszka Piotr Paweł Tomasz Krzysztof Małgorzata Wojciech Zbigniew Anders Bjorn Lennart Chidi Ngozi Kofi Chinedu Adebayo Wei Ming Hiroshi Kenji Yuki Sakura Haruto Takeshi Akira Hyun Nguyen Linh Thanh Keisha Tamika Nigella Alistair Alasdair Crispin Tarquin Jemima Georgina Bartholomew Alfie Niall Fergus Moira Catriona Gwendolyn
  Deepak Ananya Rohan Kavita Ravi Amit Arjun Anjali Rahul Neha Divya Shreya Harish Manoj Rajiv Ashok Kiran Meera Nikhil Varun Gaurav Siddharth Swati Rekha Farah Rashid Yasmin Yousef Youssef Rania Hamza Abdullah Abdelkader Abdoulaye Mamadou Aminata Fatoumata Ousmane Moussa Ibrahima Xiaoming Takashi Yuto Naoko Keiko Satoshi Yoko Minjun Jiho Seoyeon Jisoo Dmitry Sergey Ekaterina Oleg Olena Oksana Bogdan Bohdan Volodymyr Mykola Jakub Zofia Zdeněk Jiří Pavel Tereza Ondřej Bjørn Søren Aino Eero Juhani Thuy Minh Phuong Kemal Mehmet Zeynep Elif Oluwaseun Abena Thabo Sipho Zanele Tendai Saoirse Ciaran Eoin Ewan Margaux Clarice Dörte Antje Wiebke Xavi Montse Nacho Sanne Daan Willem Pieter Ruud Joost Anneke Femke Efua Adaeze Emeka Tunde Yewande Folake Aurélien Corentin Gwenaël Yannick Enora Titouan Jannik Finja Svenja Swantje Malte Torben Heinrike Zsófia István László Katalin Ferenc Mircea Ionuț Andreea Ștefan Giannis Yiannis Dimitris Eleni Kostas Siddhartha Zbyszek Jadwiga Halina Grzegorz Marzena
  Thibaut Bérénice Amadou Solène Augustin Domitille Gauthier Gwénaëlle Isaure Louison Zélie Niccolò Rosalía Lurdes Zoraida Citlali Xóchitl Valentín Íñigo Unai Oihane Leire Iratxe Eneko Gorka Mercè Oriol Neus Aina Laia Caetano Kaique Rayssa Tainá Ícaro Birte Okko Priyanka Shaniqua DeShawn Lakeisha Tanisha Deandre Trevon Khadijah Siobhán Aoibheann Róisín Caoimhe Tadhg
  Cillian Eimear Gráinne Lachlan Mhairi Eilidh Ffion Carys Emrys Idris Myfanwy Jaspreet Gurpreet Harpreet Manpreet Balvinder Sukhwinder Aditi Ishaan Tanvi Vivaan Aarav Diya Yash Pranav Karthik Lavanya Srinivas Venkat Sandeep Rakesh Geeta Usha Duc Hieu Tuan Trang Huong Ngoc Quang Rikke Mikkel Elin Linnéa Tuva Solveig Terje Øyvind Håkon Aksel
  Jorunn Mikko Päivi Tuula Riikka Antti Stanisław Bartosz Mateusz Kacper Aleksandra Zuzanna Oliwia Weronika Michał Łukasz Rafał Jerzy Bożena Grażyna Dorota Danuta Ewa Iwona Urszula Václav Miroslav Radek Lenka Šárka Zuzana Zoltán Gergely Balázs Ágnes Erzsébet Ilona Vlad Gheorghe Ioana Mihaela Florin Nikos Stavros Despina Vasiliki Esra Hakan Serkan Tolga
  Yasemin Derya Büşra Nasser Hanan Noura Huda Abdulaziz Faisal Reem Lamia Dalia Sherif Obinna Chiamaka Ifeanyi Kwesi Akua Adjoa Wanjiru Kamau Njeri Otieno Achieng Mwangi Thandiwe Nomsa Lerato Kagiso Bongani
`);
