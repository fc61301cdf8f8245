BEGIN TRANSACTION;
CREATE TABLE accounts (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	password TEXT NOT NULL, 
	one_time BOOLEAN NOT NULL, 
	generation INTEGER DEFAULT '1' NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT account_role CHECK (role IN ('owner', 'reviewer', 'viewer')), 
	UNIQUE (name)
);
INSERT INTO "accounts" VALUES(1,'owner','owner','$argon2id$v=19$m=65536,t=3,p=4$9YQoTs6Htoq25dyRU1mjpw$rVRnv6Z/BOU2t0QsgMuMJIk3abBNSSj/3KVtu6OwK6I',1,1,1.7948379411208050251e+09);
INSERT INTO "accounts" VALUES(2,'olga','owner','$argon2id$v=19$m=65536,t=3,p=4$/W6UWOwf+DV/Y1uy9BDBoQ$i6Cclag88pOhcubWuYQjjMh/B0Vc1/OPu4hp5AT1zBo',0,1,1.79483817135225081444e+09);
INSERT INTO "accounts" VALUES(3,'ruth','reviewer','$argon2id$v=19$m=65536,t=3,p=4$1Hb27rnZkzogtVRaE4kIAg$9sKxnWk/86HU981ilAJ1oAabJB4DnuWVCN232mtaWsg',0,1,1.79483817135225081444e+09);
INSERT INTO "accounts" VALUES(4,'vera','viewer','$argon2id$v=19$m=65536,t=3,p=4$hSzd0Q+aRLJx254NMe7B8A$CNJeS2PQrFRAUzdZY7GYLFivVn0YPY3u1eHrH8pk61Q',0,1,1.79483817135225081444e+09);
INSERT INTO "accounts" VALUES(5,'newcomer','viewer','$argon2id$v=19$m=65536,t=3,p=4$HO5KLpBjHKCYzFxZ/QnuJA$m8+bZ1bXZSAlk4XkSNE55M6jQdjIuNim15AQ2ZxWb3I',1,1,1.79483817135225081444e+09);
CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE assignments (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	study_id INTEGER NOT NULL, 
	participant_id INTEGER NOT NULL, 
	external_id TEXT, 
	step TEXT NOT NULL, 
	state TEXT NOT NULL, 
	reason TEXT DEFAULT '' NOT NULL, 
	consent_version TEXT, 
	consented FLOAT, 
	code TEXT, 
	created FLOAT NOT NULL, 
	finished FLOAT, 
	waited FLOAT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (study_id, participant_id, external_id), 
	UNIQUE ("key"), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	FOREIGN KEY(participant_id) REFERENCES participants (id)
);
INSERT INTO "assignments" VALUES(1,'a_D6TkzMXMTwAu9z84covv',1,1,'1','done','finished','complete','2026-03',1.79483794152011847496e+09,'HRQ8SG3CK2',1.79483794141812205315e+09,1.79483794205118775368e+09,0.0);
INSERT INTO "assignments" VALUES(2,'a_AiUiHyRHqpbE2OsaJ2Ck',1,2,'1','done','finished','complete','2026-03',1.79483794220906400681e+09,'HRBZ2TMS42',1.79483794217637324333e+09,1.79483794226002764702e+09,0.0);
INSERT INTO "assignments" VALUES(3,'a_9IAoKPTWtdvTQLilrrPN',1,3,'1','done','finished','complete','2026-03',1.79483794227627158165e+09,'GTWMHV43VS',1.79483794227070617676e+09,1.79483794231071543694e+09,0.0);
INSERT INTO "assignments" VALUES(4,'a_iP-2u3BGdx3HtQBk7A_r',1,4,'1','done','finished','complete','2026-03',1.79483794232776403427e+09,'KNSNC99XQN',1.79483794232157468796e+09,1.79483794244251775742e+09,0.0);
INSERT INTO "assignments" VALUES(5,'a_UzOtPG1i2ypCoKhhX-wV',1,5,NULL,'done','withdrawn','withdrawn','2026-03',1.79483794246833872795e+09,'Q7FK4JTWBN',1.79483794246269083023e+09,1.79483794250215554237e+09,0.0);
INSERT INTO "assignments" VALUES(6,'a_A_qFlEfcA1Y9HPifmMYS',1,6,NULL,'done','declined','declined',NULL,NULL,NULL,1.79483794254621863365e+09,1.7948379425521812439e+09,0.0);
INSERT INTO "assignments" VALUES(7,'a_5ZV6QCGr4zkRhxGJWlaZ',2,7,'se0','done','finished','complete','1',1.79483794256438851357e+09,'C0DE1234',1.79483794255850839615e+09,1.79483794274726986885e+09,0.0);
INSERT INTO "assignments" VALUES(8,'a_JtvIxYcSPOKCAOOIytSG',2,8,'se1','done','finished','complete','1',1.79483794276291465759e+09,'C0DE1234',1.79483794275747609138e+09,1.79483794282420182228e+09,0.0);
INSERT INTO "assignments" VALUES(9,'a_Pg0lV0YcNBNjOeT2F8wu',2,9,'se2','done','finished','complete','1',1.79483794283838438988e+09,'C0DE1234',1.79483794283321499825e+09,1.79483794289635539055e+09,0.0);
INSERT INTO "assignments" VALUES(10,'a_Ph0ijq4NfnkVR222tHWw',2,10,'se3','done','finished','complete','1',1.7948379429109582901e+09,'C0DE1234',1.79483794290566635132e+09,1.7948379429703977108e+09,0.0);
INSERT INTO "assignments" VALUES(11,'a_ZoLr1-4H8uh2ATZkmEkH',6,11,'1','done','finished','complete','1',1.79483794299288463593e+09,'38V577R2VM',1.79483794298140883446e+09,1.79483794304083108902e+09,1.7216205596923828125e-02);
INSERT INTO "assignments" VALUES(12,'a_9a4EzXtVzX6fJ0OFyNxW',6,12,'1','done','finished','complete','1',1.79483794300975036621e+09,'98JRZFBPZ3',1.79483794298775362968e+09,1.7948379430419883728e+09,0.0);
INSERT INTO "assignments" VALUES(13,'a_2iB18OdeC9OKzSqBWvGl',6,13,'1','done','finished','complete','1',1.79483794305940914154e+09,'Q5NBDVKN3K',1.79483794305397129059e+09,1.79483794611354780197e+09,3.03034043312072753906e+00);
INSERT INTO "assignments" VALUES(14,'a_JrefdxAwLj8GrKe4UBlD',8,14,'1','done','finished','complete','1',1.79483794612855792046e+09,'V28BH7C2ZN',1.79483794612267923355e+09,1.79483794628386259079e+09,0.0);
INSERT INTO "assignments" VALUES(15,'a_A30DhF7MVa14rPAdwkzV',8,15,'1','done','finished','complete','1',1.79483794629759597778e+09,'D6QHDQHNV9',1.79483794629196596146e+09,1.79483794639892554283e+09,0.0);
INSERT INTO "assignments" VALUES(16,'a_xS9Ov9A2iSiODkU_s1Ml',8,16,'1','done','finished','checked_out','1',1794837946.41122,'6WNRFWS862',1.79483794640601611137e+09,1.79483794645486330986e+09,0.0);
INSERT INTO "assignments" VALUES(17,'a_fLRLf5TsrSDYzBR1J6xs',8,17,'1','done','finished','not_passed','1',1.79483794646681857109e+09,'CX2KC2X9H9',1.7948379464616112709e+09,1794837946.51851,0.0);
INSERT INTO "assignments" VALUES(18,'a_6ilfMu_Cn6AJSAjH3q1Q',4,18,'1','done','finished','complete','1',1.79483794653002619743e+09,'SFXMQHVRT8',1.79483794652496147156e+09,1.79483794669632744789e+09,0.0);
INSERT INTO "assignments" VALUES(19,'a_g9bBI0HzYAkQEWd4CB9b',4,19,'1','done','finished','complete','1',1.79483794670841693878e+09,'M4P7FZ5T4R',1.79483794670329475403e+09,1.79483794680023813248e+09,0.0);
INSERT INTO "assignments" VALUES(20,'a_CqRNEjTxo8cZ0U96E9qO',4,20,'1','done','finished','complete','1',1.79483794681219553947e+09,'FVWB222N4B',1.79483794680708527565e+09,1.79483794690113019943e+09,0.0);
INSERT INTO "assignments" VALUES(21,'a_USoUJCi0a0B_cGCxe5P1',7,18,'1','done','finished','complete','1',1.79483794691226387024e+09,'STFWX4MQTT',1.79483794690774154663e+09,1.79483794693853139877e+09,0.0);
INSERT INTO "assignments" VALUES(22,'a_3L2VObEgqRwG8S8MAqUO',7,19,'1','done','finished','complete','1',1.79483794694987249374e+09,'PKGKH2563W',1.79483794694527482986e+09,1.7948379469738240242e+09,0.0);
INSERT INTO "assignments" VALUES(23,'a_279ZRlO0OsbOORBkVRLc',7,21,'1','done','finished','complete','1',1.79483794698565745354e+09,'QMNS2N34VR',1.79483794698033666611e+09,1.79483794700869584084e+09,0.0);
INSERT INTO "assignments" VALUES(24,'a_gNvju-ww9U0cdNhvBMYp',5,18,'1','done','finished','complete','1',1.79483794878892946243e+09,'WBR4WS7498',1.79483794865159082413e+09,1.79483794937219381332e+09,0.0);
INSERT INTO "assignments" VALUES(25,'a_I9bGLxkd_sB-_WNHAV6Z',5,19,'1','done','finished','complete','1',1.79483794946048521996e+09,'QG5NS2277C',1.79483794943787074089e+09,1.7948379497289814949e+09,0.0);
INSERT INTO "assignments" VALUES(26,'a_s3ANIJjJuixZZEPvwTj8',5,2,'1','done','finished','nothing_left','1',1.7948379497411005497e+09,'2SJGVDT3S8',1.79483794973619174957e+09,1.79483794974329376221e+09,0.0);
INSERT INTO "assignments" VALUES(27,'a_31Yr-21w7psvN8r1KtBU',3,22,'1','done','finished','complete',NULL,NULL,'H5TPRVK69K',1.79483817105755090714e+09,1.79483817114148831367e+09,0.0);
INSERT INTO "assignments" VALUES(28,'a_MSr7WYu98rM-nJ4Guofq',3,23,'1','done','finished','complete',NULL,NULL,'7VTH4M58DT',1.79483817107632899284e+09,1.79483817117664980888e+09,0.0);
INSERT INTO "assignments" VALUES(29,'a_rI3ff6C7VOHKreT1Dtts',3,24,'1','done','finished','complete',NULL,NULL,'6R3HSZ9HGP',1.79483817109765672684e+09,1.79483817118325543404e+09,0.0);
INSERT INTO "assignments" VALUES(30,'a_YuYaMfyEJ03eTDp8GSKs',3,25,'1','done','finished','complete',NULL,NULL,'3JFMH5WW39',1.79483817111866259575e+09,1.79483817122243714333e+09,0.0);
INSERT INTO "assignments" VALUES(31,'a_gJXu7jXdJtsu3uhO59SS',3,26,'1','done','finished','complete',NULL,NULL,'9T5SNGB2J5',1.79483817113917279243e+09,1.79483817123002147675e+09,0.0);
INSERT INTO "assignments" VALUES(32,'a_Oo6AQPZVQqTzFqqzTO98',3,27,'1','done','finished','complete',NULL,NULL,'CXDWQVM2FJ',1.79483817116072463989e+09,1.79483817126332306862e+09,0.0);
INSERT INTO "assignments" VALUES(33,'a_qk9KI0PvN3WrDL-pwVuC',3,28,'1','done','finished','complete',NULL,NULL,'978GGHQD53',1.79483817118138957024e+09,1.7948381712796933651e+09,0.0);
INSERT INTO "assignments" VALUES(34,'a_Yyc4XGhUxadIzApgwSEt',3,29,'1','done','finished','complete',NULL,NULL,'TK5FFCQ9SS',1.79483817120194172859e+09,1.79483817131174731255e+09,0.0);
INSERT INTO "assignments" VALUES(35,'a_voWB22-7lr2Q4b_aNsrX',3,30,'1','done','finished','complete',NULL,NULL,'Q6N9TZNV66',1.79483817122296357155e+09,1794838171.31978,0.0);
INSERT INTO "assignments" VALUES(36,'a_jbKN3jkaouf0rAOnCMO5',3,31,'1','done','finished','complete',NULL,NULL,'JSJDFR3FNT',1.79483817124391627312e+09,1.79483817132921504974e+09,0.0);
INSERT INTO "assignments" VALUES(37,'a_bRKle6PiWhcC6iGm9kCm',3,32,'1','done','finished','complete',NULL,NULL,'3ZZNKFK79X',1.79483817126555395126e+09,1.79483817133942461014e+09,0.0);
INSERT INTO "assignments" VALUES(38,'a_6SPehbLgVUesrD8qFtwK',3,33,'1','done','finished','complete',NULL,NULL,'6JHCVMRVSC',1794838171.28602,1.79483817134391784668e+09,0.0);
CREATE TABLE dataset_versions (
	id INTEGER NOT NULL, 
	dataset_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	path TEXT NOT NULL, 
	items INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	parent_version_id INTEGER, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (dataset_id, digest), 
	UNIQUE (dataset_id, number), 
	FOREIGN KEY(dataset_id) REFERENCES datasets (id), 
	FOREIGN KEY(parent_version_id) REFERENCES dataset_versions (id)
);
INSERT INTO "dataset_versions" VALUES(1,1,1,'d982dac3d3ac58f2bf2805b9e8e47a17bea88ce45f244c4f52babad60c9b8b03','datasets/nli/dev/d982dac3d3ac58f2.jsonl',9,1444,NULL,1.79483817481999874115e+09);
INSERT INTO "dataset_versions" VALUES(2,2,1,'163a62730f05f3efe85e2d13bb58660e649cc57807b530ec401f47aa4ad57f59','datasets/nli/test/163a62730f05f3ef.jsonl',6,962,NULL,1.79483817609190678596e+09);
INSERT INTO "dataset_versions" VALUES(3,2,2,'2a61273ccb5fe0ffe0269c1e3c15db32acd5dca384d5cfcbbce07aba691e6443','datasets/nli/test/2a61273ccb5fe0ff.jsonl',15,2420,NULL,1.79483817733299636841e+09);
INSERT INTO "dataset_versions" VALUES(4,3,1,'b0e79d5378284565758b5981e3b574e09d8391d41b4deda779ed7f643dbfb8c6','datasets/nli/secret/b0e79d5378284565.jsonl',6,962,NULL,1.79483817857139611244e+09);
INSERT INTO "dataset_versions" VALUES(5,4,1,'8a58d2c07183e67c443f66c80400e77cfae45961759da52d2a015a69490171e1','datasets/nli/fair/8a58d2c07183e67c.jsonl',10,1619,3,1.79483817989935564995e+09);
INSERT INTO "dataset_versions" VALUES(6,5,1,'1c7a9716acade944ab80d606abfe5abd4c499d1bc5d1e9f0cec3ee73afb27c92','datasets/nli/robustness-test/1c7a9716acade944.jsonl',15,2532,3,1.79483818137760901451e+09);
INSERT INTO "dataset_versions" VALUES(7,6,1,'47b9277a34071fb4dff838ab28523dcbb763e30c81dfca34dd34be1cbd3ff463','datasets/qa/lakes/47b9277a34071fb4.jsonl',5,800,NULL,1.79483824600912070274e+09);
CREATE TABLE datasets (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	access TEXT NOT NULL, 
	about TEXT DEFAULT '' NOT NULL, 
	source TEXT DEFAULT '' NOT NULL, 
	parent_id INTEGER, 
	kind TEXT, 
	function TEXT DEFAULT '' NOT NULL, 
	folder TEXT DEFAULT '' NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (task_id, name), 
	CONSTRAINT dataset_access CHECK (access IN ('scoring', 'standard', 'hidden')), 
	FOREIGN KEY(task_id) REFERENCES tasks (id), 
	FOREIGN KEY(parent_id) REFERENCES datasets (id)
);
INSERT INTO "datasets" VALUES(1,1,'dev','standard','To try things with.','dev.jsonl',NULL,NULL,'','/home/lab/work',1.79483817481999874115e+09);
INSERT INTO "datasets" VALUES(2,1,'test','scoring','Walks.','test.jsonl',NULL,NULL,'','/home/lab/work',1.79483817609190678596e+09);
INSERT INTO "datasets" VALUES(3,1,'secret','hidden','','secret.jsonl',NULL,NULL,'','/home/lab/work',1.79483817857139611244e+09);
INSERT INTO "datasets" VALUES(4,1,'fair','scoring','','fair.jsonl',2,'fairness','','/home/lab/work',1.79483817989935564995e+09);
INSERT INTO "datasets" VALUES(5,1,'robustness-test','scoring','','robustness-test.jsonl',2,'robustness','','/home/lab/work',1.79483818137760901451e+09);
INSERT INTO "datasets" VALUES(6,2,'lakes','scoring','','qa.jsonl',NULL,NULL,'','/home/lab/work',1.79483824600912070274e+09);
CREATE TABLE dialogues (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	study_id INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	condition TEXT NOT NULL, 
	group_key TEXT NOT NULL, 
	position INTEGER DEFAULT '0' NOT NULL, 
	scenario TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE ("key"), 
	FOREIGN KEY(study_id) REFERENCES studies (id)
);
INSERT INTO "dialogues" VALUES(1,'d_Kh9QD5iINlaGII9Yh5uC',8,0,'imported','d_Kh9QD5iINlaGII9Yh5uC',0,'{"id":"imported","extra":{"file_id":"round-1"}}',1.79483794118498492241e+09);
INSERT INTO "dialogues" VALUES(2,'d_QMhi_M5G3BIYmBgMmc0m',8,0,'imported','d_QMhi_M5G3BIYmBgMmc0m',0,'{"id":"imported","extra":{"file_id":"round-2"}}',1.79483794118498492241e+09);
INSERT INTO "dialogues" VALUES(3,'d_HsQQ-DqFpneXydROUd6N',8,1,'imported','d_HsQQ-DqFpneXydROUd6N',0,'{"id":"imported","extra":{"file_id":"g1"}}',1.79483794118498492241e+09);
INSERT INTO "dialogues" VALUES(4,'d_TyJezw81TfK2tf-tEGnm',8,1,'imported','d_TyJezw81TfK2tf-tEGnm',0,'{"id":"imported","extra":{"file_id":"g2"}}',1.79483794118498492241e+09);
INSERT INTO "dialogues" VALUES(5,'d_AK0pbCKDFgJkI0agsFk2',4,0,'heron','d_AK0pbCKDFgJkI0agsFk2',0,'{"id":"imported","extra":{"file_id":"t1"}}',1.79483794126546955109e+09);
INSERT INTO "dialogues" VALUES(6,'d_PAceoUp_uLHNH8vWKzhG',4,0,'wren','d_PAceoUp_uLHNH8vWKzhG',0,'{"id":"imported","extra":{"file_id":"t2"}}',1.79483794126546955109e+09);
INSERT INTO "dialogues" VALUES(7,'d_751JhZDi09u7uLJCDMdr',7,0,'heron','d_751JhZDi09u7uLJCDMdr',0,'{"id":"imported","extra":{"file_id":"l1"}}',1.79483794139234256744e+09);
INSERT INTO "dialogues" VALUES(8,'d_1Z7-DRnyCRagV8KMpdHO',7,0,'wren','d_1Z7-DRnyCRagV8KMpdHO',0,'{"id":"imported","extra":{"file_id":"r1"}}',1.79483794139234256744e+09);
INSERT INTO "dialogues" VALUES(9,'d_BcwyuiHBp_EoO0Z-jwTt',7,0,'heron','d_BcwyuiHBp_EoO0Z-jwTt',0,'{"id":"imported","extra":{"file_id":"l2"}}',1.79483794139234256744e+09);
INSERT INTO "dialogues" VALUES(10,'d_cvIuMxObZXbCRc57hF21',7,0,'wren','d_cvIuMxObZXbCRc57hF21',0,'{"id":"imported","extra":{"file_id":"r2"}}',1.79483794139234256744e+09);
INSERT INTO "dialogues" VALUES(11,'d_IR97xpu9TN-wTZISbuMl',8,1,'heron','d_IR97xpu9TN-wTZISbuMl',0,'{"id":"imported","extra":{"file_id":"t1"}}',1.79483794151551055908e+09);
INSERT INTO "dialogues" VALUES(12,'d_2mNSeeCMFbRT2xGEYTAE',8,1,'wren','d_2mNSeeCMFbRT2xGEYTAE',0,'{"id":"imported","extra":{"file_id":"t2"}}',1.79483794151551055908e+09);
INSERT INTO "dialogues" VALUES(13,'d_AQPXiJBRuag9I0Tzu2yb',8,1,'heron','d_AQPXiJBRuag9I0Tzu2yb',0,'{"id":"imported","extra":{"file_id":"t3"}}',1.79483794151551055908e+09);
INSERT INTO "dialogues" VALUES(14,'d_y9ZBBAiDIXh6PA0Vg4jJ',8,1,'wren','d_y9ZBBAiDIXh6PA0Vg4jJ',0,'{"id":"imported","extra":{"file_id":"t4"}}',1.79483794151551055908e+09);
INSERT INTO "dialogues" VALUES(15,'d_PW9BQpG_vUlWqis8lVKT',1,0,'heron','g_MKnIRq-CE4SPdB1-QiE0',0,'{"seeds":[{"seat":0,"text":"Good morning."},{"seat":1,"text":"Good morning to you."}]}',1.79483794158248186111e+09);
INSERT INTO "dialogues" VALUES(16,'d_2JOod53WA1gOMtVuNAGI',1,0,'wren','g_LoM15sRKBm3PjEmZCD2z',0,'{"seeds":[{"seat":0,"text":"Good morning."},{"seat":1,"text":"Good morning to you."}]}',1.79483794223147320747e+09);
INSERT INTO "dialogues" VALUES(17,'d_zCZVfmTIrYbgizNMdAsu',1,0,'heron','g_3gjwyRKApqTKyMDoReTM',0,'{"seeds":[{"seat":0,"text":"Good morning."},{"seat":1,"text":"Good morning to you."}]}',1.79483794228325462341e+09);
INSERT INTO "dialogues" VALUES(18,'d_HnOtsUeFRv_BGiZB-_Ex',1,0,'heron','g_cVrL5HiNDETegKet3dE8',0,'{"seeds":[{"seat":0,"text":"Good morning."},{"seat":1,"text":"Good morning to you."}]}',1.79483794241294908524e+09);
INSERT INTO "dialogues" VALUES(19,'d_3cor1kZDzY2elHbVNTt4',1,0,'wren','g_2_e1G5vwU7xquftBqV2m',0,'{"seeds":[{"seat":0,"text":"Good morning."},{"seat":1,"text":"Good morning to you."}]}',1.79483794247528743744e+09);
INSERT INTO "dialogues" VALUES(20,'d_X30QK5FEdnGoUi7WfOUE',2,0,'heron|wren','g_LRxvhU-uHPvQ1LMfiu-K',0,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794256787014008e+09);
INSERT INTO "dialogues" VALUES(21,'d_ah6Lo-hqUgsOjLR8tMV0',2,0,'heron|wren','g_LRxvhU-uHPvQ1LMfiu-K',1,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794256787014008e+09);
INSERT INTO "dialogues" VALUES(22,'d_SpVEP98ryVZ1a3t9I0We',2,0,'heron|wren','g_Bh9aedZ5OxTF5x6WpL_E',0,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794276631474495e+09);
INSERT INTO "dialogues" VALUES(23,'d_oXjZLfgKiNh_HWy1zQpC',2,0,'heron|wren','g_Bh9aedZ5OxTF5x6WpL_E',1,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794276631474495e+09);
INSERT INTO "dialogues" VALUES(24,'d_ei0csaJpyzkU3frPqX_n',2,0,'heron|wren','g_f7Q14LAdwxdTH8v0VlHC',0,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794284190607071e+09);
INSERT INTO "dialogues" VALUES(25,'d_E59wLVdzont7pMJoxbZd',2,0,'heron|wren','g_f7Q14LAdwxdTH8v0VlHC',1,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794284190607071e+09);
INSERT INTO "dialogues" VALUES(26,'d_f65hO6lyZA2IG4Oaf6ao',2,0,'heron|wren','g_Y_D6XTHZZhTZl-1nny08',0,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794291454434395e+09);
INSERT INTO "dialogues" VALUES(27,'d_ZJefYnhA9j3l6sNFimxK',2,0,'heron|wren','g_Y_D6XTHZZhTZl-1nny08',1,'{"id":"rain","title":"A rainy day","personas":[["You forgot your umbrella."],[]]}',1.79483794291454434395e+09);
INSERT INTO "dialogues" VALUES(28,'d_vgbeqCTa1TTVuYyW50w4',6,0,'people','g_GYoTD5enA6sRrWvfCcO3',0,'{"personas":[["You love mountains."],["You fear heights."]]}',1.79483794301345324516e+09);
INSERT INTO "dialogues" VALUES(29,'d_g1rESlIsbGri2rVkL8Bb',6,0,'people','g_-s7XgI9BU6hSD8ZmUB5-',0,'{"personas":[["You love mountains."],["You fear heights."]]}',1.79483794609337973595e+09);
INSERT INTO "dialogues" VALUES(30,'d_UFpEdtN1kLnXe2_56bMq',3,0,'good|plain','g_KTDfYbvkk0VuZYZqMlV5',0,'{}',1.79483817106633257866e+09);
INSERT INTO "dialogues" VALUES(31,'d_lDrE16cnedjVd6E9zg6p',3,0,'good|plain','g_KTDfYbvkk0VuZYZqMlV5',1,'{}',1.79483817106633257866e+09);
INSERT INTO "dialogues" VALUES(32,'d_-aWk8-rgROD-IHz-21zn',3,0,'good|poor','g__nYzFScbwmSG1HwhHdXA',0,'{}',1.79483817108968877792e+09);
INSERT INTO "dialogues" VALUES(33,'d_NDtUgKVa2j3CwePMXOUN',3,0,'good|poor','g__nYzFScbwmSG1HwhHdXA',1,'{}',1.79483817108968877792e+09);
INSERT INTO "dialogues" VALUES(34,'d_rfn8fCACQlaeIIGaIRAx',3,0,'poor|plain','g_0KzHbpSK3MyEAQD9fLT0',0,'{}',1.79483817110791444778e+09);
INSERT INTO "dialogues" VALUES(35,'d_qxX-Ej8-gxu1xv8yO2O7',3,0,'poor|plain','g_0KzHbpSK3MyEAQD9fLT0',1,'{}',1.79483817110791444778e+09);
INSERT INTO "dialogues" VALUES(36,'d_Y1It6b-k0-Oo_-wumQRF',3,0,'poor|plain','g_9LmKyjcBvfZJE_XMxH_z',0,'{}',1.79483817112518525124e+09);
INSERT INTO "dialogues" VALUES(37,'d_Km6291VjITYJzYXD4cJ9',3,0,'poor|plain','g_9LmKyjcBvfZJE_XMxH_z',1,'{}',1.79483817112518525124e+09);
INSERT INTO "dialogues" VALUES(38,'d_jK50GTnoiue6TF5uKt2p',3,0,'good|poor','g_P9bfCo4xZIS64t4JPXMv',0,'{}',1.79483817114583683014e+09);
INSERT INTO "dialogues" VALUES(39,'d_dgH5cKJVD6hEd228bA8j',3,0,'good|poor','g_P9bfCo4xZIS64t4JPXMv',1,'{}',1.79483817114583683014e+09);
INSERT INTO "dialogues" VALUES(40,'d_CWERlc1vTNEepa8KQ7OA',3,0,'good|plain','g_NGmvoqXgaTPbmyDZeBJG',0,'{}',1.79483817117675638199e+09);
INSERT INTO "dialogues" VALUES(41,'d_Y3WABGMXhMBhRPLXqc47',3,0,'good|plain','g_NGmvoqXgaTPbmyDZeBJG',1,'{}',1.79483817117675638199e+09);
INSERT INTO "dialogues" VALUES(42,'d_nBeW37dNGpWIROZ7R_J5',3,0,'good|poor','g_hqJC10yzMseNf6wPr8jX',0,'{}',1.79483817119220805168e+09);
INSERT INTO "dialogues" VALUES(43,'d_kVo_SouLLnYRsvIoYkh6',3,0,'good|poor','g_hqJC10yzMseNf6wPr8jX',1,'{}',1.79483817119220805168e+09);
INSERT INTO "dialogues" VALUES(44,'d_J9Hr5sGF_CTyWguDpUfZ',3,0,'poor|plain','g_urQEo2IvJKJl-togut62',0,'{}',1.79483817121773910522e+09);
INSERT INTO "dialogues" VALUES(45,'d_cg6k-bmNx5ZYtSE26IVx',3,0,'poor|plain','g_urQEo2IvJKJl-togut62',1,'{}',1.79483817121773910522e+09);
INSERT INTO "dialogues" VALUES(46,'d_GpPFcW7z-Jp9yEfQ9_lH',3,0,'good|plain','g_rbgGbHU-5cISOWcbFwPz',0,'{}',1.79483817123878860474e+09);
INSERT INTO "dialogues" VALUES(47,'d_v3hSnDOLj30rWp3nQh3Y',3,0,'good|plain','g_rbgGbHU-5cISOWcbFwPz',1,'{}',1.79483817123878860474e+09);
INSERT INTO "dialogues" VALUES(48,'d_CP6nlMVFKXmbueAfHgu9',3,0,'poor|plain','g_giYkCxFAzavH_vtenv2Y',0,'{}',1.79483817126012182236e+09);
INSERT INTO "dialogues" VALUES(49,'d_oW8enizUfTOCbSJjo73i',3,0,'poor|plain','g_giYkCxFAzavH_vtenv2Y',1,'{}',1.79483817126012182236e+09);
INSERT INTO "dialogues" VALUES(50,'d_feYqNV-cqiigN4gCkvXL',3,0,'good|poor','g_w6rPOrAzVroI0gjn_1VO',0,'{}',1.79483817127978301048e+09);
INSERT INTO "dialogues" VALUES(51,'d_d_GzAunG0-aEJ3yB70CZ',3,0,'good|poor','g_w6rPOrAzVroI0gjn_1VO',1,'{}',1.79483817127978301048e+09);
INSERT INTO "dialogues" VALUES(52,'d_Y2_7bZDYFoLmd_r2ZzyM',3,0,'good|plain','g_jO077ZpK5308NajIg8iH',0,'{}',1.79483817129836392403e+09);
INSERT INTO "dialogues" VALUES(53,'d_drAZsyiMuyakqP-GRwbZ',3,0,'good|plain','g_jO077ZpK5308NajIg8iH',1,'{}',1.79483817129836392403e+09);
INSERT INTO "dialogues" VALUES(54,'d_1ESjc7AzfgPuiEaJAq72',9,0,'dch2','d_1ESjc7AzfgPuiEaJAq72',0,'{"id":"dch2:10"}',1.79483817280611205101e+09);
INSERT INTO "dialogues" VALUES(55,'d_LBHzQIApXGqGmvwtbVc1',9,0,'dch2','d_LBHzQIApXGqGmvwtbVc1',0,'{"id":"dch2:11"}',1.79483817280611205101e+09);
INSERT INTO "dialogues" VALUES(56,'d_uNj5bfnmDGpqOOFqkReY',3,0,'selfplay:good|poor','d_uNj5bfnmDGpqOOFqkReY',0,'{}',1.79483817369292759895e+09);
INSERT INTO "dialogues" VALUES(57,'d_75cgYKU2wefGaE-XNnan',3,0,'selfplay:good|poor','d_75cgYKU2wefGaE-XNnan',0,'{}',1.79483817369292759895e+09);
CREATE TABLE erasures (
	id INTEGER NOT NULL, 
	participant_id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	events INTEGER NOT NULL, 
	labels INTEGER NOT NULL, 
	time FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(participant_id) REFERENCES participants (id), 
	FOREIGN KEY(study_id) REFERENCES studies (id)
);
INSERT INTO "erasures" VALUES(1,5,1,2,3,1.79483794251546692848e+09);
CREATE TABLE events (
	dialogue_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	seat INTEGER, 
	action TEXT NOT NULL, 
	data TEXT, 
	time FLOAT NOT NULL, 
	audience TEXT, 
	client_id TEXT, 
	reply_to INTEGER, 
	PRIMARY KEY (dialogue_id, seq), 
	FOREIGN KEY(dialogue_id) REFERENCES dialogues (id)
)
 WITHOUT ROWID

;
INSERT INTO "events" VALUES(1,1,0,'message','{"text":"My cat ran away."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(1,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(1,3,0,'message','{"text":"My cat ran away."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(1,4,1,'message','{"text":"Trains run on rails."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(1,5,NULL,'end','{"reason":"imported"}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(2,1,0,'message','{"text":"My cat ran away."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(2,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(2,3,0,'message','{"text":"My cat ran away."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(2,4,1,'message','{"text":"Trains run on rails."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(2,5,NULL,'end','{"reason":"imported"}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(3,1,0,'message','{"text":"My cat ran away."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(3,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(3,3,NULL,'end','{"reason":"imported"}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,1,0,'message','{"text":"My cat ran away."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,3,NULL,'end','{"reason":"imported"}',1.79483794118498492241e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,1,0,'message','{"text":"My cat ran away."}',1.79483794126546955109e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794126546955109e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,3,NULL,'end','{"reason":"imported"}',1.79483794126546955109e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,1,0,'message','{"text":"My cat ran away."}',1.79483794126546955109e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,2,1,'message','{"text":"Trains run on rails."}',1.79483794126546955109e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,3,NULL,'end','{"reason":"imported"}',1.79483794126546955109e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(7,1,0,'message','{"text":"My cat ran away."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(7,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(7,3,NULL,'end','{"reason":"imported"}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,1,0,'message','{"text":"My cat ran away."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,2,1,'message','{"text":"Trains run on rails."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,3,NULL,'end','{"reason":"imported"}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,1,0,'message','{"text":"My cat ran away."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,3,NULL,'end','{"reason":"imported"}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,1,0,'message','{"text":"My cat ran away."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,2,1,'message','{"text":"Trains run on rails."}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,3,NULL,'end','{"reason":"imported"}',1.79483794139234256744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,1,0,'message','{"text":"My cat ran away."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,3,NULL,'end','{"reason":"imported"}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(12,1,0,'message','{"text":"My cat ran away."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(12,2,1,'message','{"text":"Trains run on rails."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(12,3,NULL,'end','{"reason":"imported"}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,1,0,'message','{"text":"My cat ran away."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,2,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,3,0,'message','{"text":"My cat ran away."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,4,1,'message','{"text":"Trains run on rails."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,5,NULL,'end','{"reason":"imported"}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,1,0,'message','{"text":"My cat ran away."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,2,1,'message','{"text":"Trains run on rails."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,3,0,'message','{"text":"My cat ran away."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,4,1,'message','{"text":"Oh dear, I am sorry to hear that."}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,5,NULL,'end','{"reason":"imported"}',1.79483794151551055908e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,1,0,'message','{"text":"Good morning.","seed":true}',1.79483794158248186111e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,2,1,'message','{"text":"Good morning to you.","seed":true}',1.79483794158248186111e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,3,0,'join',NULL,1.79483794191002464294e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,4,0,'message','{"text":"My mail is ann@example.org, call 020 7946 0000."}',1.79483794191089606285e+09,NULL,'8e85f980d4274d0b9d40d0fe8d304a23',NULL);
INSERT INTO "events" VALUES(15,5,1,'message','{"text":"And then?"}',1.79483794191174793243e+09,NULL,NULL,4);
INSERT INTO "events" VALUES(15,6,NULL,'end','{"reason":"complete"}',1.79483794191174793243e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,1,0,'message','{"text":"Good morning.","seed":true}',1.79483794223147320747e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,2,1,'message','{"text":"Good morning to you.","seed":true}',1.79483794223147320747e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,3,0,'join',NULL,1.79483794224379229546e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,4,0,'message','{"text":"I was in the woods with bob."}',1.79483794224431467056e+09,NULL,'451df9a9b16b4e7dafa925dfb99adfeb',NULL);
INSERT INTO "events" VALUES(16,5,1,'message','{"text":"Fine."}',1.79483794224512553215e+09,NULL,NULL,4);
INSERT INTO "events" VALUES(16,6,NULL,'end','{"reason":"complete"}',1.79483794224512553215e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(17,1,0,'message','{"text":"Good morning.","seed":true}',1.79483794228325462341e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(17,2,1,'message','{"text":"Good morning to you.","seed":true}',1.79483794228325462341e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(17,3,0,'join',NULL,1.79483794229467964172e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(17,4,0,'message','{"text":"I was in the woods with cyd."}',1.79483794229516911507e+09,NULL,'9a5b818dac8444d7b896f4801458914a',NULL);
INSERT INTO "events" VALUES(17,5,1,'message','{"text":"And then?"}',1.79483794229593873024e+09,NULL,NULL,4);
INSERT INTO "events" VALUES(17,6,NULL,'end','{"reason":"complete"}',1.79483794229593873024e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(18,1,0,'message','{"text":"Good morning.","seed":true}',1.79483794241294908524e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(18,2,1,'message','{"text":"Good morning to you.","seed":true}',1.79483794241294908524e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(18,3,0,'join',NULL,1.79483794242666721344e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(18,4,0,'message','{"text":"I was in the woods with dan."}',1.79483794242716836929e+09,NULL,'bcf512515583431daf34c0c2a2b31e5f',NULL);
INSERT INTO "events" VALUES(18,5,1,'message','{"text":"And then?"}',1.79483794242794179916e+09,NULL,NULL,4);
INSERT INTO "events" VALUES(18,6,NULL,'end','{"reason":"complete"}',1.79483794242794179916e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,1,0,'message',NULL,1.79483794247528743744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,2,1,'message','{"text":"Good morning to you.","seed":true}',1.79483794247528743744e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,3,0,'join',NULL,1.79483794248671483994e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,4,0,'message',NULL,1.79483794248721337318e+09,NULL,'a8051091248c48acb64f30872e60b1b8',NULL);
INSERT INTO "events" VALUES(19,5,1,'message','{"text":"Fine."}',1.79483794248801803589e+09,NULL,NULL,4);
INSERT INTO "events" VALUES(19,6,NULL,'end','{"reason":"complete"}',1.79483794248801803589e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,7,NULL,'erase','{"seat":0,"events":2}',1.79483794251546692848e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(20,1,0,'join',NULL,1.79483794260819077492e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(20,2,0,'message','{"text":"Hello, number 0 here"}',1.79483794261158919334e+09,NULL,'026a537f025444298d9f16611fc7bca4',NULL);
INSERT INTO "events" VALUES(20,3,1,'message','{"text":"No."}',1.79483794261263442039e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(20,4,NULL,'end','{"reason":"complete"}',1.79483794261263442039e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(21,1,0,'join',NULL,1.79483794261132931709e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(21,2,0,'message','{"text":"Hello, number 0 here"}',1.79483794261258602142e+09,NULL,'e79f37b569324fc88478e1965d1284da',NULL);
INSERT INTO "events" VALUES(21,3,1,'message','{"text":"That sounds lovely."}',1.79483794261492872238e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(21,4,NULL,'end','{"reason":"complete"}',1.79483794261492872238e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(22,1,0,'join',NULL,1.79483794277886343002e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(22,2,0,'message','{"text":"Hello, number 1 here"}',1.79483794278206110001e+09,NULL,'b577f7210c0b4c48a639bd0196da3b6a',NULL);
INSERT INTO "events" VALUES(22,3,1,'message','{"text":"That sounds lovely."}',1794837942.78309,NULL,NULL,2);
INSERT INTO "events" VALUES(22,4,NULL,'end','{"reason":"complete"}',1794837942.78309,NULL,NULL,NULL);
INSERT INTO "events" VALUES(23,1,0,'join',NULL,1.79483794278178811073e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(23,2,0,'message','{"text":"Hello, number 1 here"}',1.79483794278303647041e+09,NULL,'179d1daea722446da6ff13bd7c343a44',NULL);
INSERT INTO "events" VALUES(23,3,1,'message','{"text":"No."}',1.79483794278519797325e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(23,4,NULL,'end','{"reason":"complete"}',1.79483794278519797325e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(24,1,0,'join',NULL,1.79483794285439634323e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(24,2,0,'message','{"text":"Hello, number 2 here"}',1.79483794285764980316e+09,NULL,'43da0524736842249f51dfd5cc453f9c',NULL);
INSERT INTO "events" VALUES(24,3,1,'message','{"text":"That sounds lovely."}',1.79483794285837864876e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(24,4,NULL,'end','{"reason":"complete"}',1.79483794285837864876e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(25,1,0,'join',NULL,1.79483794285722875595e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(25,2,0,'message','{"text":"Hello, number 2 here"}',1.79483794285833406448e+09,NULL,'d78352a0e9a944b7adde2163a1fc19bd',NULL);
INSERT INTO "events" VALUES(25,3,1,'message','{"text":"No."}',1.79483794286038255692e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(25,4,NULL,'end','{"reason":"complete"}',1.79483794286038255692e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(26,1,0,'join',NULL,1.79483794292685484886e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(26,2,0,'message','{"text":"Hello, number 3 here"}',1.79483794292978811264e+09,NULL,'8e7b51f392da4d5e916ae036c207fcf5',NULL);
INSERT INTO "events" VALUES(26,3,1,'message','{"text":"No."}',1.79483794293073606491e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(26,4,NULL,'end','{"reason":"complete"}',1.79483794293073606491e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(27,1,0,'join',NULL,1.79483794292954707146e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(27,2,0,'message','{"text":"Hello, number 3 here"}',1.7948379429306910038e+09,NULL,'87ca4b969bb74e548f331ec18cb5031b',NULL);
INSERT INTO "events" VALUES(27,3,1,'message','{"text":"That sounds lovely."}',1.79483794293282032013e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(27,4,NULL,'end','{"reason":"complete"}',1.79483794293282032013e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(28,1,0,'join',NULL,1.79483794303370594978e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(28,2,1,'join',NULL,1.79483794303608822823e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(28,3,0,'message','{"text":"ann 0"}',1.79483794303653407097e+09,NULL,'3b7e522423db4c17a39b66ddaea16574',NULL);
INSERT INTO "events" VALUES(28,4,1,'message','{"text":"ben 0"}',1.79483794303719878197e+09,NULL,'0bd88cee964b4c78b80f042e8316faea',NULL);
INSERT INTO "events" VALUES(28,5,0,'message','{"text":"ann 1"}',1.79483794303782296181e+09,NULL,'f843f5555ec34da4bdea100d2575bbaa',NULL);
INSERT INTO "events" VALUES(28,6,1,'message','{"text":"ben 1"}',1.79483794303833055496e+09,NULL,'c079b94c5f0c4903a793a035fa5559b7',NULL);
INSERT INTO "events" VALUES(28,7,NULL,'end','{"reason":"complete"}',1.79483794303833055496e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(29,1,0,'join',NULL,1.79483794610662031174e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(29,2,0,'message','{"text":"Hi?"}',1.79483794610703015327e+09,NULL,'d01c8e7a32fe4befb98e6469f570ffd3',NULL);
INSERT INTO "events" VALUES(29,3,1,'message','{"text":"I took over here."}',1.79483794610789489746e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(29,4,0,'message','{"text":"Ah."}',1.79483794610953569412e+09,NULL,'93e6bccea5fd4247b1452287bfb13f8a',NULL);
INSERT INTO "events" VALUES(29,5,1,'message','{"text":"I took over here."}',1.79483794611054563522e+09,NULL,NULL,4);
INSERT INTO "events" VALUES(29,6,NULL,'end','{"reason":"complete"}',1.79483794611054563522e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(30,1,0,'join',NULL,1.79483817110062146187e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(30,2,0,'message','{"text":"Nice weather today."}',1.79483817110769295692e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(30,3,1,'message','{"text":"How nice to hear."}',1.79483817110948443413e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(30,4,NULL,'end','{"reason":"complete"}',1.79483817110948443413e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(31,1,0,'join',NULL,1.79483817111978459358e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(31,2,0,'message','{"text":"Nice weather today."}',1.79483817112852025032e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(31,3,1,'message','{"text":"Yes."}',1.79483817113725876808e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(31,4,NULL,'end','{"reason":"complete"}',1.79483817113725876808e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(32,1,0,'join',NULL,1.79483817110806441307e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(32,2,0,'message','{"text":"Nice weather today."}',1.79483817111123538017e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(32,3,1,'message','{"text":"No."}',1.7948381711255106926e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(32,4,NULL,'end','{"reason":"complete"}',1.7948381711255106926e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(33,1,0,'join',NULL,1.7948381711364402771e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(33,2,0,'message','{"text":"Nice weather today."}',1.79483817114115357399e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(33,3,1,'message','{"text":"How nice to hear."}',1.79483817115906643867e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(33,4,NULL,'end','{"reason":"complete"}',1.79483817115906643867e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(34,1,0,'join',NULL,1.79483817112824463844e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(34,2,0,'message','{"text":"Hello there."}',1.79483817113619017601e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(34,3,1,'message','{"text":"Yes."}',1.79483817113780093193e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(34,4,NULL,'end','{"reason":"complete"}',1.79483817113780093193e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(35,1,0,'join',NULL,1.79483817114574146271e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(35,2,0,'message','{"text":"Nice weather today."}',1.79483817116636490822e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(35,3,1,'message','{"text":"No."}',1.79483817117804527283e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(35,4,NULL,'end','{"reason":"complete"}',1.79483817117804527283e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(36,1,0,'join',NULL,1.79483817114497876167e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(36,2,0,'message','{"text":"Nice weather today."}',1.79483817115827155113e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(36,3,1,'message','{"text":"No."}',1.79483817117683959007e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(36,4,NULL,'end','{"reason":"complete"}',1.79483817117683959007e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(37,1,0,'join',NULL,1.79483817118289852142e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(37,2,0,'message','{"text":"Nice weather today."}',1.79483817120080518723e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(37,3,1,'message','{"text":"Yes."}',1.79483817121794486046e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(37,4,NULL,'end','{"reason":"complete"}',1.79483817121794486046e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(38,1,0,'join',NULL,1.79483817117151832581e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(38,2,0,'message','{"text":"Nice weather today."}',1.79483817117767930031e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(38,3,1,'message','{"text":"How nice to hear."}',1794838171.18336,NULL,NULL,2);
INSERT INTO "events" VALUES(38,4,NULL,'end','{"reason":"complete"}',1794838171.18336,NULL,NULL,NULL);
INSERT INTO "events" VALUES(39,1,0,'join',NULL,1.79483817120174908638e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(39,2,0,'message','{"text":"Hello there."}',1.7948381712171330452e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(39,3,1,'message','{"text":"No."}',1.79483817121961545944e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(39,4,NULL,'end','{"reason":"complete"}',1.79483817121961545944e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(40,1,0,'join',NULL,1.79483817120052814484e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(40,2,0,'message','{"text":"Hello there."}',1.79483817120846319199e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(40,3,1,'message','{"text":"How nice to hear."}',1.79483817121815729141e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(40,4,NULL,'end','{"reason":"complete"}',1.79483817121815729141e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(41,1,0,'join',NULL,1.7948381712225728035e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(41,2,0,'message','{"text":"Hello there."}',1.79483817123830199242e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(41,3,1,'message','{"text":"Yes."}',1.79483817125284337997e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(41,4,NULL,'end','{"reason":"complete"}',1.79483817125284337997e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(42,1,0,'join',NULL,1.79483817121445417404e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(42,2,0,'message','{"text":"Hello there."}',1.79483817121789622307e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(42,3,1,'message','{"text":"No."}',1.79483817122284173965e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(42,4,NULL,'end','{"reason":"complete"}',1.79483817122284173965e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(43,1,0,'join',NULL,1.79483817123868131638e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(43,2,0,'message','{"text":"Hello there."}',1.79483817125202918053e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(43,3,1,'message','{"text":"How nice to hear."}',1794838171.26342,NULL,NULL,2);
INSERT INTO "events" VALUES(43,4,NULL,'end','{"reason":"complete"}',1794838171.26342,NULL,NULL,NULL);
INSERT INTO "events" VALUES(44,1,0,'join',NULL,1.79483817123527574539e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(44,2,0,'message','{"text":"Hello there."}',1.79483817124240708351e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(44,3,1,'message','{"text":"No."}',1.79483817126019978523e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(44,4,NULL,'end','{"reason":"complete"}',1.79483817126019978523e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(45,1,0,'join',NULL,1.79483817127134799957e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(45,2,0,'message','{"text":"Hello there."}',1.79483817128242754936e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(45,3,1,'message','{"text":"Yes."}',1.79483817129864573479e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(45,4,NULL,'end','{"reason":"complete"}',1.79483817129864573479e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(46,1,0,'join',NULL,1.79483817125949048996e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(46,2,0,'message','{"text":"Nice weather today."}',1.7948381712629597187e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(46,3,1,'message','{"text":"Yes."}',1.79483817127986311913e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(46,4,NULL,'end','{"reason":"complete"}',1.79483817127986311913e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(47,1,0,'join',NULL,1.79483817129341816902e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(47,2,0,'message','{"text":"Nice weather today."}',1.79483817130337142944e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(47,3,1,'message','{"text":"How nice to hear."}',1.79483817131311297417e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(47,4,NULL,'end','{"reason":"complete"}',1.79483817131311297417e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(48,1,0,'join',NULL,1.79483817127710342407e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(48,2,0,'message','{"text":"Nice weather today."}',1.79483817128248143196e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(48,3,1,'message','{"text":"Yes."}',1.79483817129868078232e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(48,4,NULL,'end','{"reason":"complete"}',1.79483817129868078232e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(49,1,0,'join',NULL,1.79483817131187844276e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(49,2,0,'message','{"text":"Nice weather today."}',1.79483817131718349457e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(49,3,1,'message','{"text":"No."}',1.79483817132398676872e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(49,4,NULL,'end','{"reason":"complete"}',1.79483817132398676872e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(50,1,0,'join',NULL,1.79483817130195760727e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(50,2,0,'message','{"text":"Nice weather today."}',1.79483817131162810326e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(50,3,1,'message','{"text":"No."}',1.79483817131855463982e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(50,4,NULL,'end','{"reason":"complete"}',1.79483817131855463982e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(51,1,0,'join',NULL,1.79483817132390332222e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(51,2,0,'message','{"text":"Nice weather today."}',1.79483817132856059074e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(51,3,1,'message','{"text":"How nice to hear."}',1.79483817133536195755e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(51,4,NULL,'end','{"reason":"complete"}',1.79483817133536195755e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(52,1,0,'join',NULL,1794838171.31928,NULL,NULL,NULL);
INSERT INTO "events" VALUES(52,2,0,'message','{"text":"Nice weather today."}',1.79483817132350444794e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(52,3,1,'message','{"text":"Yes."}',1.79483817132933402061e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(52,4,NULL,'end','{"reason":"complete"}',1.79483817132933402061e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(53,1,0,'join',NULL,1.7948381713352804184e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(53,2,0,'message','{"text":"Nice weather today."}',1.79483817133909249306e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(53,3,1,'message','{"text":"How nice to hear."}',1.79483817134035968781e+09,NULL,NULL,2);
INSERT INTO "events" VALUES(53,4,NULL,'end','{"reason":"complete"}',1.79483817134035968781e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(54,1,0,'message','{"text":"My kettle leaks."}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(54,2,0,'message','{"text":"Since Monday."}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(54,3,1,'message','{"text":"We send you a new lid."}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(54,4,NULL,'end','{"reason":"imported"}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(55,1,0,'message','{"text":"Where is my parcel?"}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(55,2,1,'message','{"text":"On its way."}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(55,3,0,'message','{"text":"Thanks."}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(55,4,NULL,'end','{"reason":"imported"}',1.79483817280611205101e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(56,1,0,'message','{"text":"How nice to hear."}',1.79483817369292759895e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(56,2,1,'message','{"text":"No."}',1.79483817369292759895e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(56,3,NULL,'end','{"reason":"complete"}',1.79483817369292759895e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(57,1,0,'message','{"text":"How nice to hear."}',1.79483817369292759895e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(57,2,1,'message','{"text":"No."}',1.79483817369292759895e+09,NULL,NULL,NULL);
INSERT INTO "events" VALUES(57,3,NULL,'end','{"reason":"complete"}',1.79483817369292759895e+09,NULL,NULL,NULL);
CREATE TABLE exclusions (
	id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	rater_id INTEGER NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	account TEXT DEFAULT '' NOT NULL, 
	reason TEXT DEFAULT '' NOT NULL, 
	time FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	FOREIGN KEY(rater_id) REFERENCES raters (id)
);
INSERT INTO "exclusions" VALUES(1,4,16,1,'olga','Answered at random',1.79483817135225081444e+09);
CREATE TABLE intakes (
	study_id INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	purpose TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	sheets INTEGER NOT NULL, 
	complete BOOLEAN NOT NULL, 
	PRIMARY KEY (study_id, stage, purpose), 
	FOREIGN KEY(study_id) REFERENCES studies (id)
);
INSERT INTO "intakes" VALUES(8,0,'training','0a2b33d9e3c2ae4969c95d9508cd912eae7605c94ef84daa51c1c7833468263e',2,1);
INSERT INTO "intakes" VALUES(8,1,'gold','f12cecc241ed9856f7ea8e794505510018af5cf68a74e4e9516e0dfd9269adcc',2,1);
INSERT INTO "intakes" VALUES(4,0,'real','b13191cd6ff1f8522daf326583f815c40b13c873bc35972b97a669ad84332a9b',2,1);
INSERT INTO "intakes" VALUES(7,0,'real','951c7edd2e1efc5ed57188264eb39edc396193eeeb2434a197b80224a6be510b',2,1);
INSERT INTO "intakes" VALUES(8,1,'real','3294ded93ed17787e1ad4d90a926867ac75662ddabb06ab879f48ec4125faabe',4,1);
CREATE TABLE job_failures (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	time FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "job_failures" VALUES(1,17,1,'Question ''t0'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819121595644951e+09);
INSERT INTO "job_failures" VALUES(2,18,1,'Question ''t0_f'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819123811483383e+09);
INSERT INTO "job_failures" VALUES(3,19,1,'Question ''t0_typos'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819125470614433e+09);
INSERT INTO "job_failures" VALUES(4,17,2,'Question ''t0'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819328340935707e+09);
INSERT INTO "job_failures" VALUES(5,18,2,'Question ''t0_f'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1794838193.29987);
INSERT INTO "job_failures" VALUES(6,19,2,'Question ''t0_typos'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819331536078453e+09);
INSERT INTO "job_failures" VALUES(7,17,3,'Question ''t0'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819735432457924e+09);
INSERT INTO "job_failures" VALUES(8,18,3,'Question ''t0_f'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819737494039536e+09);
INSERT INTO "job_failures" VALUES(9,19,3,'Question ''t0_typos'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819739522409439e+09);
INSERT INTO "job_failures" VALUES(10,17,4,'Question ''t0'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483820545892596245e+09);
INSERT INTO "job_failures" VALUES(11,18,4,'Question ''t0_f'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483820547439932823e+09);
INSERT INTO "job_failures" VALUES(12,19,4,'Question ''t0_typos'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483820548954772949e+09);
INSERT INTO "job_failures" VALUES(13,17,5,'Question ''t0'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483822160470795631e+09);
INSERT INTO "job_failures" VALUES(14,18,5,'Question ''t0_f'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483822162203383446e+09);
INSERT INTO "job_failures" VALUES(15,19,5,'Question ''t0_typos'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483822163811540604e+09);
INSERT INTO "job_failures" VALUES(16,36,1,'1 of 15 answers was refused; first: Answer to t2: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',1.79483823242774558067e+09);
INSERT INTO "job_failures" VALUES(17,37,1,'1 of 10 answers was refused; first: Answer to t2_f: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',1.7948382325803539753e+09);
INSERT INTO "job_failures" VALUES(18,38,1,'1 of 15 answers was refused; first: Answer to t2_typos: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',1.7948382327300555706e+09);
CREATE TABLE jobs (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	lane TEXT NOT NULL, 
	run_id INTEGER NOT NULL, 
	payload TEXT DEFAULT '{}' NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER DEFAULT '0' NOT NULL, 
	most_attempts INTEGER DEFAULT '5' NOT NULL, 
	due FLOAT NOT NULL, 
	holder TEXT, 
	lease FLOAT, 
	reason TEXT DEFAULT '' NOT NULL, 
	created FLOAT NOT NULL, 
	started FLOAT, 
	finished FLOAT, 
	PRIMARY KEY (id), 
	CONSTRAINT job_state CHECK (state IN ('waiting', 'running', 'done', 'dead', 'cancelled')), 
	UNIQUE ("key"), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
);
INSERT INTO "jobs" VALUES(1,'answer:1','answer','model:1',1,'{}','done',1,5,1.7948381852070183754e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.79483818511656570435e+09,1.79483818523619294167e+09,1.79483818527752590179e+09);
INSERT INTO "jobs" VALUES(2,'answer:2','answer','model:1',2,'{}','done',1,5,1.79483818520898962021e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.79483818511656570435e+09,1.79483818528288292885e+09,1.79483818537624907494e+09);
INSERT INTO "jobs" VALUES(3,'answer:3','answer','model:1',3,'{}','done',1,5,1.79483818520999550819e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.79483818511656570435e+09,1.79483818538730311394e+09,1.7948381854642727375e+09);
INSERT INTO "jobs" VALUES(4,'score:1','score','score:1',1,'{}','done',1,5,1.79483818528000116348e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.79483818527752590179e+09,1.79483818528697085381e+09,1.7948381856980278492e+09);
INSERT INTO "jobs" VALUES(5,'score:2','score','score:2',2,'{}','done',1,5,1.79483818537800908089e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.79483818537624907494e+09,1.79483818539877605438e+09,1.79483818567924880981e+09);
INSERT INTO "jobs" VALUES(6,'score:3','score','score:3',3,'{}','done',1,5,1.79483818546801066399e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.7948381854642727375e+09,1.79483818568709301949e+09,1.79483818572628474236e+09);
INSERT INTO "jobs" VALUES(7,'score:1:2','score','score:1',1,'{}','done',1,5,1.79483818569999480247e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.7948381856980278492e+09,1.79483818571394705772e+09,1.79483818575173544884e+09);
INSERT INTO "jobs" VALUES(8,'score:1:3','score','score:1',1,'{}','done',1,5,1.79483818573000884056e+09,'vm-ace0a827:15042:9f92d63c',NULL,'',1.79483818572628474236e+09,1.79483818575431251526e+09,1.79483818577949905396e+09);
INSERT INTO "jobs" VALUES(9,'answer:4','answer','model:1',4,'{}','done',1,5,1.79483818744398069382e+09,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818734689354897e+09,1.79483818747346305847e+09,1.79483818752258610725e+09);
INSERT INTO "jobs" VALUES(10,'answer:5','answer','model:1',5,'{}','done',1,5,1.79483818744599223137e+09,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818734689354897e+09,1.79483818752804255486e+09,1.79483818763628315926e+09);
INSERT INTO "jobs" VALUES(11,'answer:6','answer','model:1',6,'{}','done',1,5,1.79483818744800376892e+09,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818734689354897e+09,1.79483818764776468277e+09,1.79483818775561213493e+09);
INSERT INTO "jobs" VALUES(12,'score:4','score','score:4',4,'{}','done',1,5,1794838187.52501,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818752258610725e+09,1.79483818753226733208e+09,1.79483818793751168251e+09);
INSERT INTO "jobs" VALUES(13,'score:5','score','score:5',5,'{}','done',1,5,1.79483818763899064064e+09,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818763628315926e+09,1.79483818765313982964e+09,1.79483818791987228394e+09);
INSERT INTO "jobs" VALUES(14,'score:6','score','score:6',6,'{}','done',1,5,1.79483818776198339462e+09,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818775561213493e+09,1.79483818793363618851e+09,1.79483818799584078789e+09);
INSERT INTO "jobs" VALUES(15,'score:4:5','score','score:4',4,'{}','done',1,5,1.79483818794001483917e+09,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818793751168251e+09,1.79483818794741415977e+09,1.79483818799884462357e+09);
INSERT INTO "jobs" VALUES(16,'score:4:6','score','score:4',4,'{}','done',1,5,1.79483818799799084663e+09,'vm-ace0a827:15094:45129c47',NULL,'',1.79483818799584078789e+09,1.79483818800147271156e+09,1.79483818802614283562e+09);
INSERT INTO "jobs" VALUES(17,'answer:7','answer','model:2',7,'{}','dead',5,5,1.79483825360601615906e+09,NULL,NULL,'Question ''t0'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819107707452774e+09,1.79483819119175696373e+09,1.79483822160470795631e+09);
INSERT INTO "jobs" VALUES(18,'answer:8','answer','model:2',8,'{}','dead',5,5,1.79483825362299442291e+09,NULL,NULL,'Question ''t0_f'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819107707452774e+09,1.79483819122416615486e+09,1.79483822162203383446e+09);
INSERT INTO "jobs" VALUES(19,'answer:9','answer','model:2',9,'{}','dead',5,5,1.79483825363900732994e+09,NULL,NULL,'Question ''t0_typos'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',1.79483819107707452774e+09,1.79483819124279928207e+09,1.79483822163811540604e+09);
INSERT INTO "jobs" VALUES(20,'answer:10','answer','model:3',10,'{}','done',1,5,1.79483822473398160934e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.79483822462672972679e+09,1.79483822478069472313e+09,1.79483822488588833809e+09);
INSERT INTO "jobs" VALUES(21,'answer:11','answer','model:3',11,'{}','done',1,5,1.7948382247359931469e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.79483822462672972679e+09,1.79483822489512014389e+09,1.7948382250286796093e+09);
INSERT INTO "jobs" VALUES(22,'answer:12','answer','model:3',12,'{}','done',1,5,1.79483822473800468445e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.79483822462672972679e+09,1.79483822504105257988e+09,1.79483822521873092651e+09);
INSERT INTO "jobs" VALUES(23,'score:10','score','score:10',10,'{}','done',1,5,1.79483822488799381256e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.79483822488588833809e+09,1.79483822490290737152e+09,1.79483822539136886597e+09);
INSERT INTO "jobs" VALUES(24,'score:11','score','score:11',11,'{}','done',1,5,1.79483822503001689911e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.7948382250286796093e+09,1.79483822506909775734e+09,1.79483822536947345734e+09);
INSERT INTO "jobs" VALUES(25,'score:12','score','score:12',12,'{}','done',1,5,1.79483822521999788284e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.79483822521873092651e+09,1.79483822537952685356e+09,1.79483822542987155914e+09);
INSERT INTO "jobs" VALUES(26,'score:10:11','score','score:10',10,'{}','done',1,5,1.79483822539798927307e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.79483822539136886597e+09,1.79483822541103124619e+09,1.79483822544974112511e+09);
INSERT INTO "jobs" VALUES(27,'score:10:12','score','score:10',10,'{}','done',1,5,1.79483822543198609352e+09,'vm-ace0a827:15575:32f9612e',NULL,'',1.79483822542987155914e+09,1.79483822545221924782e+09,1.79483822547887682915e+09);
INSERT INTO "jobs" VALUES(28,'answer:13','answer','model:4',13,'{}','done',1,5,1.79483823008301711082e+09,'vm-ace0a827:15729:5a890541',NULL,'',1.79483822999914264679e+09,1.79483823010928177834e+09,1.79483823014978408813e+09);
INSERT INTO "jobs" VALUES(29,'answer:14','answer','model:4',14,'{}','done',1,5,1.79483823008398270607e+09,'vm-ace0a827:15729:5a890541',NULL,'',1.79483822999914264679e+09,1.79483823015482616425e+09,1.79483823026191759109e+09);
INSERT INTO "jobs" VALUES(30,'answer:15','answer','model:4',15,'{}','done',1,5,1.79483823008599424362e+09,'vm-ace0a827:15729:5a890541',NULL,'',1.79483822999914264679e+09,1.7948382302881155014e+09,1.79483823038201570511e+09);
INSERT INTO "jobs" VALUES(31,'score:13','score','score:13',13,'{}','done',1,5,1.79483823015201687813e+09,'vm-ace0a827:15729:5a890541',NULL,'',1.79483823014978408813e+09,1.79483823015868210793e+09,1.79483823055314230919e+09);
INSERT INTO "jobs" VALUES(32,'score:14','score','score:14',14,'{}','done',1,5,1794838230.26302,'vm-ace0a827:15729:5a890541',NULL,'',1.79483823026191759109e+09,1.79483823029525852203e+09,1.79483823053764843941e+09);
INSERT INTO "jobs" VALUES(33,'score:15','score','score:15',15,'{}','done',1,5,1.79483823038299536705e+09,'vm-ace0a827:15729:5a890541',NULL,'',1.79483823038201570511e+09,1.79483823054813671112e+09,1.7948382305904006958e+09);
INSERT INTO "jobs" VALUES(34,'score:13:14','score','score:13',13,'{}','done',1,5,1.79483823056400418282e+09,'vm-ace0a827:15729:5a890541',NULL,'',1.79483823055314230919e+09,1.79483823057039499283e+09,1.7948382306123726368e+09);
INSERT INTO "jobs" VALUES(35,'score:13:15','score','score:13',13,'{}','done',1,5,1.79483823059498357773e+09,'vm-ace0a827:15729:5a890541',NULL,'',1.7948382305904006958e+09,1.79483823061483502388e+09,1.79483823063814115524e+09);
INSERT INTO "jobs" VALUES(36,'answer:16','answer','model:5',16,'{}','dead',1,5,1794838234.434,NULL,NULL,'1 of 15 answers was refused; first: Answer to t2: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',1.79483823215991520882e+09,1.79483823226734495163e+09,1.79483823242774558067e+09);
INSERT INTO "jobs" VALUES(37,'answer:17','answer','model:5',17,'{}','dead',1,5,1.7948382345829834938e+09,NULL,NULL,'1 of 10 answers was refused; first: Answer to t2_f: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',1.79483823215991520882e+09,1.79483823243852186203e+09,1.7948382325803539753e+09);
INSERT INTO "jobs" VALUES(38,'answer:18','answer','model:5',18,'{}','dead',1,5,1.79483823473200702667e+09,NULL,NULL,'1 of 15 answers was refused; first: Answer to t2_typos: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',1.79483823215991520882e+09,1.79483823258687829971e+09,1.7948382327300555706e+09);
INSERT INTO "jobs" VALUES(39,'answer:19','answer','model:6',19,'{}','done',1,5,1.79483823428098249435e+09,'vm-ace0a827:15928:26e54a1d',NULL,'',1.79483823420145368576e+09,1.79483823430222034454e+09,1.7948382343323867321e+09);
INSERT INTO "jobs" VALUES(40,'score:19','score','score:19',19,'{}','done',1,5,1.79483823433501577377e+09,'vm-ace0a827:15928:26e54a1d',NULL,'',1.7948382343323867321e+09,1.79483823433760619164e+09,1.79483823460580539703e+09);
INSERT INTO "jobs" VALUES(41,'answer:20','answer','model:7',20,'{}','cancelled',0,5,1794838237.64399,NULL,NULL,'',1.79483823756116747856e+09,NULL,1.79483823923181891441e+09);
INSERT INTO "jobs" VALUES(42,'answer:21','answer','model:7',21,'{}','cancelled',0,5,1.79483823764600157738e+09,NULL,NULL,'',1.79483823756116747856e+09,NULL,1.79483823997270417213e+09);
INSERT INTO "jobs" VALUES(43,'answer:22','answer','model:7',22,'{}','cancelled',0,5,1.79483823764700746536e+09,NULL,NULL,'',1.79483823756116747856e+09,NULL,1.79483824073946619034e+09);
INSERT INTO "jobs" VALUES(44,'answer:23','answer','model:8',23,'{}','waiting',0,5,4102444800.0,NULL,NULL,'',1.79483824377282071114e+09,NULL,NULL);
INSERT INTO "jobs" VALUES(45,'answer:24','answer','model:8',24,'{}','waiting',0,5,4102444800.0,NULL,NULL,'',1.79483824377282071114e+09,NULL,NULL);
INSERT INTO "jobs" VALUES(46,'answer:25','answer','model:8',25,'{}','waiting',0,5,4102444800.0,NULL,NULL,'',1.79483824377282071114e+09,NULL,NULL);
INSERT INTO "jobs" VALUES(47,'answer:26','answer','model:9',26,'{}','done',1,5,1.79483824759400629997e+09,'vm-ace0a827:16080:4eb6e969',NULL,'',1.79483824751570439339e+09,1.79483824761681413651e+09,1.79483824764415931702e+09);
INSERT INTO "jobs" VALUES(48,'score:26','score','score:26',26,'{}','done',1,5,1.79483824764598751068e+09,'vm-ace0a827:16080:4eb6e969',NULL,'',1.79483824764415931702e+09,1.79483824764929461479e+09,1.7948382479106631279e+09);
INSERT INTO "jobs" VALUES(49,'answer:27','answer','model:10',27,'{}','done',1,5,1.79483825990100049973e+09,'vm-ace0a827:16232:c39f3151',NULL,'',1.79483825986597847939e+09,1.79483825994565629959e+09,1.7948382599720454216e+09);
INSERT INTO "jobs" VALUES(50,'score:27','score','score:27',27,'{}','done',1,5,1.79483825997398352623e+09,'vm-ace0a827:16232:c39f3151',NULL,'',1.7948382599720454216e+09,1.79483825997716712952e+09,1.79483826025507903099e+09);
INSERT INTO "jobs" VALUES(51,'answer:28','answer','model:11',28,'{}','done',1,5,1794838263.98402,'vm-ace0a827:16232:c39f3151',NULL,'',1.79483826396085119247e+09,1.79483826427816987038e+09,1.79483826429673361778e+09);
INSERT INTO "jobs" VALUES(52,'score:28','score','score:28',28,'{}','done',1,5,1.79483826429799938202e+09,'vm-ace0a827:16232:c39f3151',NULL,'',1.79483826429673361778e+09,1.79483826430195498466e+09,1.79483826432751917839e+09);
CREATE TABLE labels (
	id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	unit_id INTEGER NOT NULL, 
	question TEXT NOT NULL, 
	question_version TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	rater_id INTEGER NOT NULL, 
	assignment_id INTEGER, 
	shown_order TEXT, 
	value TEXT, 
	abstained BOOLEAN NOT NULL, 
	seconds FLOAT, 
	time FLOAT NOT NULL, 
	client_id TEXT, 
	supersedes INTEGER, 
	erased FLOAT, 
	label TEXT, 
	slot_id INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT label_purpose CHECK (purpose IN ('real', 'training', 'gold', 'attention')), 
	UNIQUE (rater_id, client_id), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	FOREIGN KEY(unit_id) REFERENCES units (id), 
	FOREIGN KEY(rater_id) REFERENCES raters (id), 
	FOREIGN KEY(assignment_id) REFERENCES assignments (id), 
	UNIQUE (supersedes), 
	FOREIGN KEY(supersedes) REFERENCES labels (id), 
	FOREIGN KEY(slot_id) REFERENCES slots (id)
);
INSERT INTO "labels" VALUES(1,1,1,'enjoyment','fca7a39522d5','real',1,1,NULL,'3',0,0.0433959166208903,1.79483794205118775368e+09,'7afdb3c758908e18:answer-enjoyment:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(2,1,1,'seemed','ab9933f55c64','real',1,1,NULL,'{"kind":1,"clever":3}',0,0.0433959166208903,1.79483794205118775368e+09,'7afdb3c758908e18:answer-seemed:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(3,1,1,'remarks','66e541fe73b9','real',1,1,NULL,'"Ça va, merci 🦆."',0,0.0433959166208903,1.79483794205118775368e+09,'7afdb3c758908e18:answer-remarks:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(4,1,2,'enjoyment','fca7a39522d5','real',2,2,NULL,'4',0,2.67585118611653660289e-03,1.79483794226002764702e+09,'59cf1f594b9445ca:answer-enjoyment:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(5,1,2,'seemed','ab9933f55c64','real',2,2,NULL,'{"kind":3,"clever":5}',0,2.67585118611653660289e-03,1.79483794226002764702e+09,'59cf1f594b9445ca:answer-seemed:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(6,1,2,'remarks','66e541fe73b9','real',2,2,NULL,'"It was fine."',0,2.67585118611653660289e-03,1.79483794226002764702e+09,'59cf1f594b9445ca:answer-remarks:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(7,1,3,'enjoyment','fca7a39522d5','real',3,3,NULL,'2',0,2.9051303863525390625e-03,1.79483794231071543694e+09,'493834b1e6c1d689:answer-enjoyment:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(8,1,3,'seemed','ab9933f55c64','real',3,3,NULL,'{"kind":3,"clever":2}',0,2.9051303863525390625e-03,1.79483794231071543694e+09,'493834b1e6c1d689:answer-seemed:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(9,1,3,'remarks','66e541fe73b9','real',3,3,NULL,'"Write to me: kim@example.org or 555 123 4567."',0,2.9051303863525390625e-03,1.79483794231071543694e+09,'493834b1e6c1d689:answer-remarks:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(10,1,4,'enjoyment','fca7a39522d5','real',4,4,NULL,'5',0,2.83924738566080714711e-03,1.79483794244251775742e+09,'8c355dae157dc64a:answer-enjoyment:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(11,1,4,'seemed','ab9933f55c64','real',4,4,NULL,'{"kind":2,"clever":2}',0,2.83924738566080714711e-03,1.79483794244251775742e+09,'8c355dae157dc64a:answer-seemed:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(12,1,4,'remarks','66e541fe73b9','real',4,4,NULL,'"It was fine."',0,2.83924738566080714711e-03,1.79483794244251775742e+09,'8c355dae157dc64a:answer-remarks:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(13,1,5,'enjoyment','fca7a39522d5','real',5,5,NULL,NULL,0,2.71852811177571629039e-03,1.79483794250215554237e+09,'3dc648b8e4e01dba:answer-enjoyment:dialogue:d_3cor1kZDzY2elHbVNTt4',NULL,1.79483794251546692848e+09,NULL,NULL);
INSERT INTO "labels" VALUES(14,1,5,'seemed','ab9933f55c64','real',5,5,NULL,NULL,0,2.71852811177571629039e-03,1.79483794250215554237e+09,'3dc648b8e4e01dba:answer-seemed:dialogue:d_3cor1kZDzY2elHbVNTt4',NULL,1.79483794251546692848e+09,NULL,NULL);
INSERT INTO "labels" VALUES(15,1,5,'remarks','66e541fe73b9','real',5,5,NULL,NULL,0,2.71852811177571629039e-03,1.79483794250215554237e+09,'3dc648b8e4e01dba:answer-remarks:dialogue:d_3cor1kZDzY2elHbVNTt4',NULL,1.79483794251546692848e+09,NULL,NULL);
INSERT INTO "labels" VALUES(16,2,6,'overall_comment','e8459ecde637','real',6,7,NULL,'"Write to me: kim@example.org or 555 123 4567."',0,5.80322742462158203125e-02,1.79483794268003225327e+09,'a60a8129c1f45858:answer-overall_comment:dialogue:d_X30QK5FEdnGoUi7WfOUE',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(17,2,7,'overall_comment','e8459ecde637','real',6,7,NULL,'"Write to me: kim@example.org or 555 123 4567."',0,1.932239532470703125e-02,1.79483794270532250404e+09,'e40cc1f4f4bd44e3:answer-overall_comment:dialogue:d_ah6Lo-hqUgsOjLR8tMV0',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(18,2,8,'preference','c97a7ab673d5','real',6,7,'["first","second"]','"first"',0,3.72698307037353515625e-02,1.79483794274726986885e+09,'de787d81ebee5875:answer-preference:pair:dialogue:d_X30QK5FEdnGoUi7WfOUE|dialogue:d_ah6Lo-hqUgsOjLR8tMV0',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(19,2,9,'overall_comment','e8459ecde637','real',7,8,NULL,'"It was fine."',0,7.8499317169189453125e-03,1794837942.79985,'972a8e151895bb6b:answer-overall_comment:dialogue:d_SpVEP98ryVZ1a3t9I0We',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(20,2,10,'overall_comment','e8459ecde637','real',7,8,NULL,'"Ça va, merci 🦆."',0,6.673336029052734375e-03,1.79483794281167340279e+09,'110687acbabe160f:answer-overall_comment:dialogue:d_oXjZLfgKiNh_HWy1zQpC',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(21,2,11,'preference','c97a7ab673d5','real',7,8,'["first","second"]','"first"',0,8.2018375396728515625e-03,1.79483794282420182228e+09,'61eee65173622d11:answer-preference:pair:dialogue:d_SpVEP98ryVZ1a3t9I0We|dialogue:d_oXjZLfgKiNh_HWy1zQpC',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(22,2,12,'overall_comment','e8459ecde637','real',8,9,NULL,'"It was fine."',0,6.2949657440185546875e-03,1.79483794287329506874e+09,'caed7ff677275bd3:answer-overall_comment:dialogue:d_ei0csaJpyzkU3frPqX_n',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(23,2,13,'overall_comment','e8459ecde637','real',8,9,NULL,'"It was fine."',0,6.19792938232421875e-03,1.79483794288419795036e+09,'876dc8ff4a08cd6f:answer-overall_comment:dialogue:d_E59wLVdzont7pMJoxbZd',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(24,2,14,'preference','c97a7ab673d5','real',8,9,'["second","first"]','"second"',0,8.3553791046142578125e-03,1.79483794289635539055e+09,'d05b6830e186c596:answer-preference:pair:dialogue:d_E59wLVdzont7pMJoxbZd|dialogue:d_ei0csaJpyzkU3frPqX_n',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(25,2,15,'overall_comment','e8459ecde637','real',9,10,NULL,'"It was fine."',0,7.009029388427734375e-03,1.79483794294600892067e+09,'c4e5651fd44ee918:answer-overall_comment:dialogue:d_f65hO6lyZA2IG4Oaf6ao',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(26,2,16,'overall_comment','e8459ecde637','real',9,10,NULL,'"Ça va, merci 🦆."',0,7.495403289794921875e-03,1.79483794295749545097e+09,'70ca022ec8dd247e:answer-overall_comment:dialogue:d_ZJefYnhA9j3l6sNFimxK',NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(27,2,17,'preference','c97a7ab673d5','real',9,10,'["second","first"]','"first"',0,8.3978176116943359375e-03,1.7948379429703977108e+09,'16331ce361200f21:answer-preference:pair:dialogue:d_ZJefYnhA9j3l6sNFimxK|dialogue:d_f65hO6lyZA2IG4Oaf6ao',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(28,8,18,'empathy','49d5652ee3a4','training',10,14,NULL,'{"empathy":"empathetic"}',0,2.22357511520385742187e-02,1.79483794620747160912e+09,'89f009f3fe3fcbb6:answer-empathy-2:event:d_Kh9QD5iINlaGII9Yh5uC:2',NULL,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(29,8,19,'empathy','49d5652ee3a4','training',10,14,NULL,'{"empathy":"not_empathetic"}',0,2.22357511520385742187e-02,1.79483794620747160912e+09,'89f009f3fe3fcbb6:answer-empathy-4:event:d_Kh9QD5iINlaGII9Yh5uC:4',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(30,8,20,'empathy','49d5652ee3a4','training',10,14,NULL,'{"empathy":"empathetic"}',0,2.429962158203125e-03,1.79483794622285985947e+09,'783aa1da0597caf8:answer-empathy-2:event:d_QMhi_M5G3BIYmBgMmc0m:2',NULL,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(31,8,21,'empathy','49d5652ee3a4','training',10,14,NULL,'{"empathy":"not_empathetic"}',0,2.429962158203125e-03,1.79483794622285985947e+09,'783aa1da0597caf8:answer-empathy-4:event:d_QMhi_M5G3BIYmBgMmc0m:4',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(32,8,22,'empathy','49d5652ee3a4','real',10,14,NULL,'{"empathy":"empathetic"}',0,1.0159015655517578125e-02,1.79483794624515891075e+09,'9b198b882c770748:answer-empathy-2:event:d_IR97xpu9TN-wTZISbuMl:2',NULL,NULL,'empathetic',13);
INSERT INTO "labels" VALUES(33,8,23,'empathy','49d5652ee3a4','gold',10,14,NULL,'{"empathy":"empathetic"}',0,3.2336711883544921875e-03,1.79483794625623369217e+09,'079c2975ec0ffc6d:answer-empathy-2:event:d_TyJezw81TfK2tf-tEGnm:2',NULL,NULL,'empathetic',25);
INSERT INTO "labels" VALUES(34,8,24,'empathy','49d5652ee3a4','real',10,14,NULL,'{"empathy":"empathetic"}',0,1.8990039825439453125e-03,1.79483794626189899445e+09,'a96de7643b267083:answer-empathy-2:event:d_2mNSeeCMFbRT2xGEYTAE:2',NULL,NULL,'empathetic',16);
INSERT INTO "labels" VALUES(35,8,25,'empathy','49d5652ee3a4','real',10,14,NULL,'{"empathy":"empathetic"}',0,1.2648105621337890625e-03,1.79483794626752972603e+09,'cb86d18357fc991a:answer-empathy-2:event:d_AQPXiJBRuag9I0Tzu2yb:2',NULL,NULL,'empathetic',19);
INSERT INTO "labels" VALUES(36,8,26,'empathy','49d5652ee3a4','real',10,14,NULL,'{"empathy":"empathetic"}',0,1.2648105621337890625e-03,1.79483794626752972603e+09,'cb86d18357fc991a:answer-empathy-4:event:d_AQPXiJBRuag9I0Tzu2yb:4',NULL,NULL,'empathetic',19);
INSERT INTO "labels" VALUES(37,8,27,'reads','af330ddc2a6d','attention',10,14,NULL,'4',0,2.707004547119140625e-03,1.79483794627370691299e+09,'a718fd479217efe5:answer-reads:dialogue:d_AQPXiJBRuag9I0Tzu2yb',NULL,NULL,NULL,19);
INSERT INTO "labels" VALUES(38,8,28,'empathy','49d5652ee3a4','real',10,14,NULL,'{"empathy":"empathetic"}',0,1.2552738189697265625e-03,1.79483794627951049805e+09,'e93c91a21ecff225:answer-empathy-2:event:d_y9ZBBAiDIXh6PA0Vg4jJ:2',NULL,NULL,'empathetic',22);
INSERT INTO "labels" VALUES(39,8,29,'empathy','49d5652ee3a4','real',10,14,NULL,'{"empathy":"empathetic"}',0,1.2552738189697265625e-03,1.79483794627951049805e+09,'e93c91a21ecff225:answer-empathy-4:event:d_y9ZBBAiDIXh6PA0Vg4jJ:4',NULL,NULL,'empathetic',22);
INSERT INTO "labels" VALUES(40,8,18,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"not_empathetic"}',0,0.00235593318939209,1.79483794630971193314e+09,'810008677c542903:answer-empathy-2:event:d_Kh9QD5iINlaGII9Yh5uC:2',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(41,8,19,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"not_empathetic"}',0,0.00235593318939209,1.79483794630971193314e+09,'810008677c542903:answer-empathy-4:event:d_Kh9QD5iINlaGII9Yh5uC:4',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(42,8,18,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"empathetic"}',0,8.301258087158203125e-03,1.79483794632330131531e+09,'21e3bc92ec2f8de5:answer-empathy-2:event:d_Kh9QD5iINlaGII9Yh5uC:2',40,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(43,8,20,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"not_empathetic"}',0,2.2604465484619140625e-03,1.79483794633252096176e+09,'9a4c3866e655b4cc:answer-empathy-2:event:d_QMhi_M5G3BIYmBgMmc0m:2',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(44,8,21,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"empathetic"}',0,2.2604465484619140625e-03,1.79483794633252096176e+09,'9a4c3866e655b4cc:answer-empathy-4:event:d_QMhi_M5G3BIYmBgMmc0m:4',NULL,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(45,8,18,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"empathetic"}',0,2.218723297119140625e-03,1.79483794634743738174e+09,'89e97dd4b2405355:answer-empathy-2:event:d_Kh9QD5iINlaGII9Yh5uC:2',42,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(46,8,19,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"not_empathetic"}',0,2.218723297119140625e-03,1.79483794634743738174e+09,'89e97dd4b2405355:answer-empathy-4:event:d_Kh9QD5iINlaGII9Yh5uC:4',41,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(47,8,20,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"empathetic"}',0,2.264499664306640625e-03,1.79483794635752892494e+09,'8adf2707d3444fe5:answer-empathy-2:event:d_QMhi_M5G3BIYmBgMmc0m:2',43,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(48,8,21,'empathy','49d5652ee3a4','training',11,15,NULL,'{"empathy":"not_empathetic"}',0,2.264499664306640625e-03,1.79483794635752892494e+09,'8adf2707d3444fe5:answer-empathy-4:event:d_QMhi_M5G3BIYmBgMmc0m:4',44,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(49,8,22,'empathy','49d5652ee3a4','real',11,15,NULL,'{"empathy":"empathetic"}',0,4.05597686767578125e-03,1.79483794637005591393e+09,'ebe0480892e2de78:answer-empathy-2:event:d_IR97xpu9TN-wTZISbuMl:2',NULL,NULL,'empathetic',14);
INSERT INTO "labels" VALUES(50,8,30,'empathy','49d5652ee3a4','gold',11,15,NULL,'{"empathy":"empathetic"}',0,2.1040439605712890625e-03,1.79483794637610411644e+09,'d090c0c6126204a3:answer-empathy-2:event:d_HsQQ-DqFpneXydROUd6N:2',NULL,NULL,'empathetic',26);
INSERT INTO "labels" VALUES(51,8,24,'empathy','49d5652ee3a4','real',11,15,NULL,'{"empathy":"empathetic"}',0,2.626895904541015625e-03,1.79483794638162684441e+09,'472b7b2e34c05870:answer-empathy-2:event:d_2mNSeeCMFbRT2xGEYTAE:2',NULL,NULL,'empathetic',17);
INSERT INTO "labels" VALUES(52,8,25,'empathy','49d5652ee3a4','real',11,15,NULL,'{"empathy":"empathetic"}',0,1.41465663909912109375e-03,1.79483794638682937622e+09,'25c2379104b5eb54:answer-empathy-2:event:d_AQPXiJBRuag9I0Tzu2yb:2',NULL,NULL,'empathetic',20);
INSERT INTO "labels" VALUES(53,8,26,'empathy','49d5652ee3a4','real',11,15,NULL,'{"empathy":"not_empathetic"}',0,1.41465663909912109375e-03,1.79483794638682937622e+09,'25c2379104b5eb54:answer-empathy-4:event:d_AQPXiJBRuag9I0Tzu2yb:4',NULL,NULL,'lack of empathy',20);
INSERT INTO "labels" VALUES(54,8,27,'reads','af330ddc2a6d','attention',11,15,NULL,'4',0,2.139568328857421875e-03,1.79483794639113950729e+09,'65e2da5a9faefb28:answer-reads:dialogue:d_AQPXiJBRuag9I0Tzu2yb',NULL,NULL,NULL,20);
INSERT INTO "labels" VALUES(55,8,28,'empathy','49d5652ee3a4','real',11,15,NULL,'{"empathy":"empathetic"}',0,1.13201141357421875e-03,1.79483794639626407623e+09,'10bc07d45cabd424:answer-empathy-2:event:d_y9ZBBAiDIXh6PA0Vg4jJ:2',NULL,NULL,'empathetic',23);
INSERT INTO "labels" VALUES(56,8,29,'empathy','49d5652ee3a4','real',11,15,NULL,'{"empathy":"not_empathetic"}',0,1.13201141357421875e-03,1.79483794639626407623e+09,'10bc07d45cabd424:answer-empathy-4:event:d_y9ZBBAiDIXh6PA0Vg4jJ:4',NULL,NULL,'lack of empathy',23);
INSERT INTO "labels" VALUES(57,8,18,'empathy','49d5652ee3a4','training',12,16,NULL,'{"empathy":"empathetic"}',0,1.9934177398681640625e-03,1.79483794642398691177e+09,'294ffc347617a116:answer-empathy-2:event:d_Kh9QD5iINlaGII9Yh5uC:2',NULL,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(58,8,19,'empathy','49d5652ee3a4','training',12,16,NULL,'{"empathy":"not_empathetic"}',0,1.9934177398681640625e-03,1.79483794642398691177e+09,'294ffc347617a116:answer-empathy-4:event:d_Kh9QD5iINlaGII9Yh5uC:4',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(59,8,20,'empathy','49d5652ee3a4','training',12,16,NULL,'{"empathy":"empathetic"}',0,2.01332569122314453125e-03,1.7948379464330265522e+09,'ca3583d37f2dee00:answer-empathy-2:event:d_QMhi_M5G3BIYmBgMmc0m:2',NULL,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(60,8,21,'empathy','49d5652ee3a4','training',12,16,NULL,'{"empathy":"not_empathetic"}',0,2.01332569122314453125e-03,1.7948379464330265522e+09,'ca3583d37f2dee00:answer-empathy-4:event:d_QMhi_M5G3BIYmBgMmc0m:4',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(61,8,22,'empathy','49d5652ee3a4','real',12,16,NULL,'{"empathy":"not_empathetic"}',0,4.4376850128173828125e-03,1.79483794644543766975e+09,'1837514e76a0d7c4:answer-empathy-2:event:d_IR97xpu9TN-wTZISbuMl:2',NULL,NULL,'lack of empathy',15);
INSERT INTO "labels" VALUES(62,8,23,'empathy','49d5652ee3a4','gold',12,16,NULL,'{"empathy":"not_empathetic"}',0,3.0000209808349609375e-03,1794837946.452,'20e6f560f841a0d3:answer-empathy-2:event:d_TyJezw81TfK2tf-tEGnm:2',NULL,NULL,'lack of empathy',27);
INSERT INTO "labels" VALUES(63,8,18,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"empathetic"}',0,2.02310085296630859375e-03,1.79483794647904610634e+09,'c72dd9be530f0f15:answer-empathy-2:event:d_Kh9QD5iINlaGII9Yh5uC:2',NULL,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(64,8,19,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"not_empathetic"}',0,2.02310085296630859375e-03,1.79483794647904610634e+09,'c72dd9be530f0f15:answer-empathy-4:event:d_Kh9QD5iINlaGII9Yh5uC:4',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(65,8,20,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"not_empathetic"}',0,2.0902156829833984375e-03,1.79483794648818039894e+09,'889d16887d346967:answer-empathy-2:event:d_QMhi_M5G3BIYmBgMmc0m:2',NULL,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(66,8,21,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"empathetic"}',0,2.0902156829833984375e-03,1.79483794648818039894e+09,'889d16887d346967:answer-empathy-4:event:d_QMhi_M5G3BIYmBgMmc0m:4',NULL,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(67,8,18,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"empathetic"}',0,2.4378299713134765625e-03,1.79483794650387573242e+09,'2c71cfd103aacabf:answer-empathy-2:event:d_Kh9QD5iINlaGII9Yh5uC:2',63,NULL,'empathetic',NULL);
INSERT INTO "labels" VALUES(68,8,19,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"not_empathetic"}',0,2.4378299713134765625e-03,1.79483794650387573242e+09,'2c71cfd103aacabf:answer-empathy-4:event:d_Kh9QD5iINlaGII9Yh5uC:4',64,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(69,8,20,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"not_empathetic"}',0,1.82616710662841796875e-03,1.79483794651265239716e+09,'ffb5272b9b67c6ce:answer-empathy-2:event:d_QMhi_M5G3BIYmBgMmc0m:2',65,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(70,8,21,'empathy','49d5652ee3a4','training',13,17,NULL,'{"empathy":"not_empathetic"}',0,1.82616710662841796875e-03,1.79483794651265239716e+09,'ffb5272b9b67c6ce:answer-empathy-4:event:d_QMhi_M5G3BIYmBgMmc0m:4',66,NULL,'lack of empathy',NULL);
INSERT INTO "labels" VALUES(71,4,31,'knowledge','6040734089a4','real',14,18,NULL,'{"facts":["uses_facts"],"accuracy":"unsure","search":"disputed"}',0,1.1843204498291015625e-02,1.79483794654384326935e+09,'d2f6ee508d75d51b:answer-knowledge-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'',1);
INSERT INTO "labels" VALUES(72,4,31,'polite','194af55a0081','real',14,18,NULL,'"no"',0,1.02908611297607421875e-02,1.79483794655729079247e+09,'07abd96bc3416e58:answer-polite-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'no',1);
INSERT INTO "labels" VALUES(73,4,31,'faults','7690abc2cd32','real',14,18,NULL,'["dull"]',0,1.371097564697265625e-02,1.79483794657371091843e+09,'4350a1349d9d0f66:answer-faults-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'dull',1);
INSERT INTO "labels" VALUES(74,4,31,'marks','e3cea930bdf1','real',14,18,NULL,'[{"start":0,"end":6,"label":"kind"}]',0,1.4189243316650390625e-02,1.79483794659018921852e+09,'a8c9cbad6586867a:answer-marks-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'kind',1);
INSERT INTO "labels" VALUES(75,4,32,'warmth','ce567997d45a','real',14,18,NULL,'3',0,1.27550363540649414062e-02,1794837946.64402,'cab61a23d9abca3e:answer-warmth:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,NULL,1);
INSERT INTO "labels" VALUES(76,4,32,'order','b186f246047f','real',14,18,NULL,'["care","wit","speed"]',0,1.27550363540649414062e-02,1794837946.64402,'cab61a23d9abca3e:answer-order:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,'',1);
INSERT INTO "labels" VALUES(77,4,32,'quality_likert','2f5c02262795','real',14,18,NULL,'4',0,1.27550363540649414062e-02,1794837946.64402,'cab61a23d9abca3e:answer-quality_likert:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,'',1);
INSERT INTO "labels" VALUES(78,4,32,'overall_comment','e8459ecde637','real',14,18,NULL,'"Ça va, merci 🦆."',0,1.27550363540649414062e-02,1794837946.64402,'cab61a23d9abca3e:answer-overall_comment:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,NULL,1);
INSERT INTO "labels" VALUES(79,4,33,'knowledge','6040734089a4','real',14,18,NULL,'{"facts":["uses_facts"],"accuracy":"unsure","search":"disputed"}',0,8.46004486083984375e-03,1794837946.66046,'77590f391b2c16dc:answer-knowledge-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'',4);
INSERT INTO "labels" VALUES(80,4,33,'polite','194af55a0081','real',14,18,NULL,'"yes"',0,5.010128021240234375e-03,1.79483794666801023483e+09,'ba8ed31e954ae5fb:answer-polite-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'yes',4);
INSERT INTO "labels" VALUES(81,4,33,'faults','7690abc2cd32','real',14,18,NULL,'["dull"]',0,5.5234432220458984375e-03,1.79483794667552351952e+09,'21433ede40e8a4a5:answer-faults-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'dull',4);
INSERT INTO "labels" VALUES(82,4,33,'marks','e3cea930bdf1','real',14,18,NULL,'[{"start":0,"end":6,"label":"kind"}]',0,5.2998065948486328125e-03,1.79483794668329977989e+09,'2ed575aae57d194f:answer-marks-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'kind',4);
INSERT INTO "labels" VALUES(83,4,34,'warmth','ce567997d45a','real',14,18,NULL,'8',0,1.82282924652099609375e-03,1.7948379466932914257e+09,'34e47881781f04e0:answer-warmth:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,NULL,4);
INSERT INTO "labels" VALUES(84,4,34,'order','b186f246047f','real',14,18,NULL,'["care","wit","speed"]',0,1.82282924652099609375e-03,1.7948379466932914257e+09,'34e47881781f04e0:answer-order:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,'',4);
INSERT INTO "labels" VALUES(85,4,34,'quality_likert','2f5c02262795','real',14,18,NULL,'5',0,1.82282924652099609375e-03,1.7948379466932914257e+09,'34e47881781f04e0:answer-quality_likert:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,'',4);
INSERT INTO "labels" VALUES(86,4,34,'overall_comment','e8459ecde637','real',14,18,NULL,'"Write to me: kim@example.org or 555 123 4567."',0,1.82282924652099609375e-03,1.7948379466932914257e+09,'34e47881781f04e0:answer-overall_comment:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,NULL,4);
INSERT INTO "labels" VALUES(87,4,31,'knowledge','6040734089a4','real',15,19,NULL,'{"facts":["uses_facts"],"accuracy":"unsure","search":"disputed"}',0,9.1207027435302734375e-03,1.79483794672012066841e+09,'609a150611f2fefe:answer-knowledge-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'',2);
INSERT INTO "labels" VALUES(88,4,31,'polite','194af55a0081','real',15,19,NULL,'"no"',0,5.1825046539306640625e-03,1.79483794672818255424e+09,'12d796a4c001bfc1:answer-polite-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'no',2);
INSERT INTO "labels" VALUES(89,4,31,'faults','7690abc2cd32','real',15,19,NULL,'[]',0,4.2798519134521484375e-03,1.79483794673527979851e+09,'5fb07c1a90d7c9df:answer-faults-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'',2);
INSERT INTO "labels" VALUES(90,4,31,'marks','e3cea930bdf1','real',15,19,NULL,'[{"start":0,"end":6,"label":"kind"}]',0,5.012989044189453125e-03,1.79483794674301290512e+09,'8c7f6fbe4a395672:answer-marks-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'kind',2);
INSERT INTO "labels" VALUES(91,4,32,'warmth','ce567997d45a','real',15,19,NULL,'6',0,2.01421976089477539062e-03,1.7948379467530567646e+09,'74b98d4d81ffee0c:answer-warmth:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,NULL,2);
INSERT INTO "labels" VALUES(92,4,32,'order','b186f246047f','real',15,19,NULL,'["care","speed","wit"]',0,2.01421976089477539062e-03,1.7948379467530567646e+09,'74b98d4d81ffee0c:answer-order:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,'',2);
INSERT INTO "labels" VALUES(93,4,32,'quality_likert','2f5c02262795','real',15,19,NULL,'3',0,2.01421976089477539062e-03,1.7948379467530567646e+09,'74b98d4d81ffee0c:answer-quality_likert:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,'',2);
INSERT INTO "labels" VALUES(94,4,32,'overall_comment','e8459ecde637','real',15,19,NULL,'"It was fine."',0,2.01421976089477539062e-03,1.7948379467530567646e+09,'74b98d4d81ffee0c:answer-overall_comment:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,NULL,2);
INSERT INTO "labels" VALUES(95,4,33,'knowledge','6040734089a4','real',15,19,NULL,'{"facts":["uses_facts"],"accuracy":"unsure","search":"disputed"}',0,7.380008697509765625e-03,1794837946.76538,'7e4b585803566705:answer-knowledge-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'',5);
INSERT INTO "labels" VALUES(96,4,33,'polite','194af55a0081','real',15,19,NULL,'"no"',0,4.420757293701171875e-03,1.79483794677242064476e+09,'72b256d71729907d:answer-polite-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'no',5);
INSERT INTO "labels" VALUES(97,4,33,'faults','7690abc2cd32','real',15,19,NULL,'["wrong"]',0,4.87995147705078125e-03,1794837946.77988,'bab83aef92b5eedd:answer-faults-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'wrong',5);
INSERT INTO "labels" VALUES(98,4,33,'marks','e3cea930bdf1','real',15,19,NULL,'[{"start":0,"end":6,"label":"kind"}]',0,5.7041645050048828125e-03,1.79483794678770422935e+09,'d816845f5fc87246:answer-marks-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'kind',5);
INSERT INTO "labels" VALUES(99,4,34,'warmth','ce567997d45a','real',15,19,NULL,'0',0,1.89507007598876953125e-03,1.79483794679758024216e+09,'c163ca49952fb37d:answer-warmth:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,NULL,5);
INSERT INTO "labels" VALUES(100,4,34,'order','b186f246047f','real',15,19,NULL,'["speed","care","wit"]',0,1.89507007598876953125e-03,1.79483794679758024216e+09,'c163ca49952fb37d:answer-order:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,'',5);
INSERT INTO "labels" VALUES(101,4,34,'quality_likert','2f5c02262795','real',15,19,NULL,'4',0,1.89507007598876953125e-03,1.79483794679758024216e+09,'c163ca49952fb37d:answer-quality_likert:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,'',5);
INSERT INTO "labels" VALUES(102,4,34,'overall_comment','e8459ecde637','real',15,19,NULL,'"It was fine."',0,1.89507007598876953125e-03,1.79483794679758024216e+09,'c163ca49952fb37d:answer-overall_comment:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,NULL,5);
INSERT INTO "labels" VALUES(103,4,31,'knowledge','6040734089a4','real',16,20,NULL,'{}',0,9.9964141845703125e-03,1.79483794682399630547e+09,'e9eb99e3a114071d:answer-knowledge-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'',3);
INSERT INTO "labels" VALUES(104,4,31,'polite','194af55a0081','real',16,20,NULL,'"no"',0,0.00529789924621582,1.79483794683129787445e+09,'fe34560da32310fe:answer-polite-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'no',3);
INSERT INTO "labels" VALUES(105,4,31,'faults','7690abc2cd32','real',16,20,NULL,'[]',0,4.2369365692138671875e-03,1.7948379468382370472e+09,'931c4df7d4c24323:answer-faults-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'',3);
INSERT INTO "labels" VALUES(106,4,31,'marks','e3cea930bdf1','real',16,20,NULL,'[{"start":0,"end":6,"label":"kind"}]',0,5.7070255279541015625e-03,1.7948379468457069397e+09,'ff95b3383f27eeab:answer-marks-2:event:d_AK0pbCKDFgJkI0agsFk2:2',NULL,NULL,'kind',3);
INSERT INTO "labels" VALUES(107,4,32,'warmth','ce567997d45a','real',16,20,NULL,'8',0,1.90317630767822265625e-03,1.79483794685561275482e+09,'15b6881da78531bc:answer-warmth:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,NULL,3);
INSERT INTO "labels" VALUES(108,4,32,'order','b186f246047f','real',16,20,NULL,'["wit","speed","care"]',0,1.90317630767822265625e-03,1.79483794685561275482e+09,'15b6881da78531bc:answer-order:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,'',3);
INSERT INTO "labels" VALUES(109,4,32,'quality_likert','2f5c02262795','real',16,20,NULL,'2',0,1.90317630767822265625e-03,1.79483794685561275482e+09,'15b6881da78531bc:answer-quality_likert:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,'',3);
INSERT INTO "labels" VALUES(110,4,32,'overall_comment','e8459ecde637','real',16,20,NULL,'"Write to me: kim@example.org or 555 123 4567."',0,1.90317630767822265625e-03,1.79483794685561275482e+09,'15b6881da78531bc:answer-overall_comment:dialogue:d_AK0pbCKDFgJkI0agsFk2',NULL,NULL,NULL,3);
INSERT INTO "labels" VALUES(111,4,33,'knowledge','6040734089a4','real',16,20,NULL,'{}',0,7.86685943603515625e-03,1.79483794686686682701e+09,'14d534867e405baa:answer-knowledge-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'',6);
INSERT INTO "labels" VALUES(112,4,33,'polite','194af55a0081','real',16,20,NULL,'"yes"',0,5.2425861358642578125e-03,1.79483794687424254417e+09,'ec18ed6d88ab6c78:answer-polite-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'yes',6);
INSERT INTO "labels" VALUES(113,4,33,'faults','7690abc2cd32','real',16,20,NULL,'[]',0,5.3627490997314453125e-03,1.79483794688136267662e+09,'e64e2c6402b6dda1:answer-faults-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'',6);
INSERT INTO "labels" VALUES(114,4,33,'marks','e3cea930bdf1','real',16,20,NULL,'[{"start":0,"end":6,"label":"kind"}]',0,4.8902034759521484375e-03,1.79483794688889026642e+09,'3506c85914b739b0:answer-marks-2:event:d_PAceoUp_uLHNH8vWKzhG:2',NULL,NULL,'kind',6);
INSERT INTO "labels" VALUES(115,4,34,'warmth','ce567997d45a','real',16,20,NULL,'2',0,1.90037488937377929687e-03,1.79483794689860153198e+09,'bcaded92f63487d3:answer-warmth:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,NULL,6);
INSERT INTO "labels" VALUES(116,4,34,'order','b186f246047f','real',16,20,NULL,'["care","wit","speed"]',0,1.90037488937377929687e-03,1.79483794689860153198e+09,'bcaded92f63487d3:answer-order:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,'',6);
INSERT INTO "labels" VALUES(117,4,34,'quality_likert','2f5c02262795','real',16,20,NULL,'2',0,1.90037488937377929687e-03,1.79483794689860153198e+09,'bcaded92f63487d3:answer-quality_likert:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,'',6);
INSERT INTO "labels" VALUES(118,4,34,'overall_comment','e8459ecde637','real',16,20,NULL,'"Ça va, merci 🦆."',0,1.90037488937377929687e-03,1.79483794689860153198e+09,'bcaded92f63487d3:answer-overall_comment:dialogue:d_PAceoUp_uLHNH8vWKzhG',NULL,NULL,NULL,6);
INSERT INTO "labels" VALUES(119,7,37,'quality_comparative','e54f19c0d748','real',14,21,'["second","first"]','"second"',0,5.20384311676025390625e-03,1.79483794692440772057e+09,'aa68908b751a4ba5:answer-quality_comparative:pair:dialogue:d_1Z7-DRnyCRagV8KMpdHO|dialogue:d_751JhZDi09u7uLJCDMdr',NULL,NULL,'second',7);
INSERT INTO "labels" VALUES(120,7,37,'engaging_comparative','31ee440f675a','real',14,21,'["second","first"]','"tie"',0,5.20384311676025390625e-03,1.79483794692440772057e+09,'aa68908b751a4ba5:answer-engaging_comparative:pair:dialogue:d_1Z7-DRnyCRagV8KMpdHO|dialogue:d_751JhZDi09u7uLJCDMdr',NULL,NULL,'tie',7);
INSERT INTO "labels" VALUES(121,7,40,'quality_comparative','e54f19c0d748','real',14,21,'["first","second"]','"first"',0,3.74495983123779296875e-03,1794837946.93549,'e00bfbfc51fef043:answer-quality_comparative:pair:dialogue:d_BcwyuiHBp_EoO0Z-jwTt|dialogue:d_cvIuMxObZXbCRc57hF21',NULL,NULL,'first',8);
INSERT INTO "labels" VALUES(122,7,40,'engaging_comparative','31ee440f675a','real',14,21,'["first","second"]','"first"',0,3.74495983123779296875e-03,1794837946.93549,'e00bfbfc51fef043:answer-engaging_comparative:pair:dialogue:d_BcwyuiHBp_EoO0Z-jwTt|dialogue:d_cvIuMxObZXbCRc57hF21',NULL,NULL,'first',8);
INSERT INTO "labels" VALUES(123,7,37,'engaging_comparative','31ee440f675a','real',15,22,'["second","first"]','"second"',0,4.73058223724365234375e-03,1.7948379469614610672e+09,'bd207f55076496ea:answer-engaging_comparative:pair:dialogue:d_1Z7-DRnyCRagV8KMpdHO|dialogue:d_751JhZDi09u7uLJCDMdr',NULL,NULL,'second',9);
INSERT INTO "labels" VALUES(124,7,37,'quality_comparative','e54f19c0d748','real',15,22,'["second","first"]','"second"',0,4.73058223724365234375e-03,1.7948379469614610672e+09,'bd207f55076496ea:answer-quality_comparative:pair:dialogue:d_1Z7-DRnyCRagV8KMpdHO|dialogue:d_751JhZDi09u7uLJCDMdr',NULL,NULL,'second',9);
INSERT INTO "labels" VALUES(125,7,40,'engaging_comparative','31ee440f675a','real',15,22,'["second","first"]','"tie"',0,3.2098293304443359375e-03,1.79483794697141957283e+09,'cc07d20e2c881ded:answer-engaging_comparative:pair:dialogue:d_BcwyuiHBp_EoO0Z-jwTt|dialogue:d_cvIuMxObZXbCRc57hF21',NULL,NULL,'tie',10);
INSERT INTO "labels" VALUES(126,7,40,'quality_comparative','e54f19c0d748','real',15,22,'["second","first"]','"first"',0,3.2098293304443359375e-03,1.79483794697141957283e+09,'cc07d20e2c881ded:answer-quality_comparative:pair:dialogue:d_BcwyuiHBp_EoO0Z-jwTt|dialogue:d_cvIuMxObZXbCRc57hF21',NULL,NULL,'first',10);
INSERT INTO "labels" VALUES(127,7,40,'quality_comparative','e54f19c0d748','real',17,23,'["first","second"]','"tie"',0,4.197597503662109375e-03,1.79483794699639511108e+09,'b6d96058c53e0948:answer-quality_comparative:pair:dialogue:d_BcwyuiHBp_EoO0Z-jwTt|dialogue:d_cvIuMxObZXbCRc57hF21',NULL,NULL,'tie',11);
INSERT INTO "labels" VALUES(128,7,40,'engaging_comparative','31ee440f675a','real',17,23,'["first","second"]','"second"',0,4.197597503662109375e-03,1.79483794699639511108e+09,'b6d96058c53e0948:answer-engaging_comparative:pair:dialogue:d_BcwyuiHBp_EoO0Z-jwTt|dialogue:d_cvIuMxObZXbCRc57hF21',NULL,NULL,'second',11);
INSERT INTO "labels" VALUES(129,7,37,'quality_comparative','e54f19c0d748','real',17,23,'["second","first"]','"first"',0,3.15225124359130859375e-03,1.79483794700630450249e+09,'cc4b49bbad79cc41:answer-quality_comparative:pair:dialogue:d_1Z7-DRnyCRagV8KMpdHO|dialogue:d_751JhZDi09u7uLJCDMdr',NULL,NULL,'first',12);
INSERT INTO "labels" VALUES(130,7,37,'engaging_comparative','31ee440f675a','real',17,23,'["second","first"]','"second"',0,3.15225124359130859375e-03,1.79483794700630450249e+09,'cc4b49bbad79cc41:answer-engaging_comparative:pair:dialogue:d_1Z7-DRnyCRagV8KMpdHO|dialogue:d_751JhZDi09u7uLJCDMdr',NULL,NULL,'second',12);
INSERT INTO "labels" VALUES(131,5,41,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG"',0,6.35439753532409667969e-02,1.79483794906617593765e+09,'e8c1d9d2d1b3ae1f:answer-nuggets-1:event:d_2JOod53WA1gOMtVuNAGI:1',NULL,NULL,'CNUG',28);
INSERT INTO "labels" VALUES(132,5,42,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNUG*"',0,6.35439753532409667969e-02,1.79483794906617593765e+09,'e8c1d9d2d1b3ae1f:answer-nuggets-2:event:d_2JOod53WA1gOMtVuNAGI:2',NULL,NULL,'HNUG*',28);
INSERT INTO "labels" VALUES(133,5,43,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG0"',0,6.35439753532409667969e-02,1.79483794906617593765e+09,'e8c1d9d2d1b3ae1f:answer-nuggets-4:event:d_2JOod53WA1gOMtVuNAGI:4',NULL,NULL,'CNUG0',28);
INSERT INTO "labels" VALUES(134,5,44,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNUG"',0,6.35439753532409667969e-02,1.79483794906617593765e+09,'e8c1d9d2d1b3ae1f:answer-nuggets-5:event:d_2JOod53WA1gOMtVuNAGI:5',NULL,NULL,'HNUG',28);
INSERT INTO "labels" VALUES(135,5,45,'accomplishment','72dfdcf79790','real',14,24,NULL,'-2',0,2.83807118733723946769e-02,1.79483794917914223671e+09,'b5acb4def8082bf0:answer-accomplishment:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,'',28);
INSERT INTO "labels" VALUES(136,5,45,'satisfaction','bfa6322abeee','real',14,24,NULL,'-1',0,2.83807118733723946769e-02,1.79483794917914223671e+09,'b5acb4def8082bf0:answer-satisfaction:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,'',28);
INSERT INTO "labels" VALUES(137,5,45,'effectiveness','91c599d145e0','real',14,24,NULL,'-1',0,2.83807118733723946769e-02,1.79483794917914223671e+09,'b5acb4def8082bf0:answer-effectiveness:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,'',28);
INSERT INTO "labels" VALUES(138,5,46,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG*"',0,2.88671255111694335937e-03,1.79483794921554684639e+09,'0881193e323ce1d3:answer-nuggets-1:event:d_PW9BQpG_vUlWqis8lVKT:1',NULL,NULL,'CNUG*',29);
INSERT INTO "labels" VALUES(139,5,47,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNUG"',0,2.88671255111694335937e-03,1.79483794921554684639e+09,'0881193e323ce1d3:answer-nuggets-2:event:d_PW9BQpG_vUlWqis8lVKT:2',NULL,NULL,'HNUG',29);
INSERT INTO "labels" VALUES(140,5,48,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG"',0,2.88671255111694335937e-03,1.79483794921554684639e+09,'0881193e323ce1d3:answer-nuggets-4:event:d_PW9BQpG_vUlWqis8lVKT:4',NULL,NULL,'CNUG',29);
INSERT INTO "labels" VALUES(141,5,49,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNaN"',0,2.88671255111694335937e-03,1.79483794921554684639e+09,'0881193e323ce1d3:answer-nuggets-5:event:d_PW9BQpG_vUlWqis8lVKT:5',NULL,NULL,'HNaN',29);
INSERT INTO "labels" VALUES(142,5,50,'accomplishment','72dfdcf79790','real',14,24,NULL,'-1',0,2.8474330902099609375e-03,1.79483794931254220009e+09,'3cd186dbff59b147:answer-accomplishment:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,'',29);
INSERT INTO "labels" VALUES(143,5,50,'satisfaction','bfa6322abeee','real',14,24,NULL,'-2',0,2.8474330902099609375e-03,1.79483794931254220009e+09,'3cd186dbff59b147:answer-satisfaction:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,'',29);
INSERT INTO "labels" VALUES(144,5,50,'effectiveness','91c599d145e0','real',14,24,NULL,'1',0,2.8474330902099609375e-03,1.79483794931254220009e+09,'3cd186dbff59b147:answer-effectiveness:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,'',29);
INSERT INTO "labels" VALUES(145,5,51,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG"',0,2.34550237655639648437e-03,1.79483794932638192177e+09,'85313190ab162d01:answer-nuggets-1:event:d_HnOtsUeFRv_BGiZB-_Ex:1',NULL,NULL,'CNUG',30);
INSERT INTO "labels" VALUES(146,5,52,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNUG"',0,2.34550237655639648437e-03,1.79483794932638192177e+09,'85313190ab162d01:answer-nuggets-2:event:d_HnOtsUeFRv_BGiZB-_Ex:2',NULL,NULL,'HNUG',30);
INSERT INTO "labels" VALUES(147,5,53,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG"',0,2.34550237655639648437e-03,1.79483794932638192177e+09,'85313190ab162d01:answer-nuggets-4:event:d_HnOtsUeFRv_BGiZB-_Ex:4',NULL,NULL,'CNUG',30);
INSERT INTO "labels" VALUES(148,5,54,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNUG"',0,2.34550237655639648437e-03,1.79483794932638192177e+09,'85313190ab162d01:answer-nuggets-5:event:d_HnOtsUeFRv_BGiZB-_Ex:5',NULL,NULL,'HNUG',30);
INSERT INTO "labels" VALUES(149,5,55,'accomplishment','72dfdcf79790','real',14,24,NULL,'-2',0,2.9242038726806640625e-03,1.79483794933877253532e+09,'a4b37a6d8c898552:answer-accomplishment:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,'',30);
INSERT INTO "labels" VALUES(150,5,55,'satisfaction','bfa6322abeee','real',14,24,NULL,'-2',0,2.9242038726806640625e-03,1.79483794933877253532e+09,'a4b37a6d8c898552:answer-satisfaction:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,'',30);
INSERT INTO "labels" VALUES(151,5,55,'effectiveness','91c599d145e0','real',14,24,NULL,'0',0,2.9242038726806640625e-03,1.79483794933877253532e+09,'a4b37a6d8c898552:answer-effectiveness:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,'',30);
INSERT INTO "labels" VALUES(152,5,56,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG"',0,2.89350748062133789062e-03,1.79483794935457396507e+09,'32efa15be116c66b:answer-nuggets-1:event:d_zCZVfmTIrYbgizNMdAsu:1',NULL,NULL,'CNUG',31);
INSERT INTO "labels" VALUES(153,5,57,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNUG"',0,2.89350748062133789062e-03,1.79483794935457396507e+09,'32efa15be116c66b:answer-nuggets-2:event:d_zCZVfmTIrYbgizNMdAsu:2',NULL,NULL,'HNUG',31);
INSERT INTO "labels" VALUES(154,5,58,'nuggets','cec0af60f6ee','real',14,24,NULL,'"CNUG"',0,2.89350748062133789062e-03,1.79483794935457396507e+09,'32efa15be116c66b:answer-nuggets-4:event:d_zCZVfmTIrYbgizNMdAsu:4',NULL,NULL,'CNUG',31);
INSERT INTO "labels" VALUES(155,5,59,'nuggets','cec0af60f6ee','real',14,24,NULL,'"HNaN"',0,2.89350748062133789062e-03,1.79483794935457396507e+09,'32efa15be116c66b:answer-nuggets-5:event:d_zCZVfmTIrYbgizNMdAsu:5',NULL,NULL,'HNaN',31);
INSERT INTO "labels" VALUES(156,5,60,'accomplishment','72dfdcf79790','real',14,24,NULL,'2',0,2.9838085174560546875e-03,1.79483794936695146561e+09,'b0117db24e6b6202:answer-accomplishment:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,'',31);
INSERT INTO "labels" VALUES(157,5,60,'satisfaction','bfa6322abeee','real',14,24,NULL,'0',0,2.9838085174560546875e-03,1.79483794936695146561e+09,'b0117db24e6b6202:answer-satisfaction:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,'',31);
INSERT INTO "labels" VALUES(158,5,60,'effectiveness','91c599d145e0','real',14,24,NULL,'-1',0,2.9838085174560546875e-03,1.79483794936695146561e+09,'b0117db24e6b6202:answer-effectiveness:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,'',31);
INSERT INTO "labels" VALUES(159,5,51,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNUG"',0,1.0199069976806640625e-02,1.79483794951179623604e+09,'e1a7cdee129e55e2:answer-nuggets-1:event:d_HnOtsUeFRv_BGiZB-_Ex:1',NULL,NULL,'CNUG',32);
INSERT INTO "labels" VALUES(160,5,52,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNUG"',0,1.0199069976806640625e-02,1.79483794951179623604e+09,'e1a7cdee129e55e2:answer-nuggets-2:event:d_HnOtsUeFRv_BGiZB-_Ex:2',NULL,NULL,'HNUG',32);
INSERT INTO "labels" VALUES(161,5,53,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNaN"',0,1.0199069976806640625e-02,1.79483794951179623604e+09,'e1a7cdee129e55e2:answer-nuggets-4:event:d_HnOtsUeFRv_BGiZB-_Ex:4',NULL,NULL,'CNaN',32);
INSERT INTO "labels" VALUES(162,5,54,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNaN"',0,1.0199069976806640625e-02,1.79483794951179623604e+09,'e1a7cdee129e55e2:answer-nuggets-5:event:d_HnOtsUeFRv_BGiZB-_Ex:5',NULL,NULL,'HNaN',32);
INSERT INTO "labels" VALUES(163,5,55,'accomplishment','72dfdcf79790','real',15,25,NULL,'0',0,7.98217455546061140093e-03,1.79483794955994653702e+09,'ba7bbdfce85e2e2c:answer-accomplishment:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,'',32);
INSERT INTO "labels" VALUES(164,5,55,'satisfaction','bfa6322abeee','real',15,25,NULL,'-2',0,7.98217455546061140093e-03,1.79483794955994653702e+09,'ba7bbdfce85e2e2c:answer-satisfaction:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,'',32);
INSERT INTO "labels" VALUES(165,5,55,'effectiveness','91c599d145e0','real',15,25,NULL,'-2',0,7.98217455546061140093e-03,1.79483794955994653702e+09,'ba7bbdfce85e2e2c:answer-effectiveness:dialogue:d_HnOtsUeFRv_BGiZB-_Ex',NULL,NULL,'',32);
INSERT INTO "labels" VALUES(166,5,41,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNUG*"',0,2.27946043014526367187e-03,1.79483794958811783791e+09,'3a72d8b6847fcbfe:answer-nuggets-1:event:d_2JOod53WA1gOMtVuNAGI:1',NULL,NULL,'CNUG*',33);
INSERT INTO "labels" VALUES(167,5,42,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNUG*"',0,2.27946043014526367187e-03,1.79483794958811783791e+09,'3a72d8b6847fcbfe:answer-nuggets-2:event:d_2JOod53WA1gOMtVuNAGI:2',NULL,NULL,'HNUG*',33);
INSERT INTO "labels" VALUES(168,5,43,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNUG"',0,2.27946043014526367187e-03,1.79483794958811783791e+09,'3a72d8b6847fcbfe:answer-nuggets-4:event:d_2JOod53WA1gOMtVuNAGI:4',NULL,NULL,'CNUG',33);
INSERT INTO "labels" VALUES(169,5,44,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNaN"',0,2.27946043014526367187e-03,1.79483794958811783791e+09,'3a72d8b6847fcbfe:answer-nuggets-5:event:d_2JOod53WA1gOMtVuNAGI:5',NULL,NULL,'HNaN',33);
INSERT INTO "labels" VALUES(170,5,45,'accomplishment','72dfdcf79790','real',15,25,NULL,'-2',0,2.902507781982421875e-03,1.79483794959970760345e+09,'68114577c96a04b9:answer-accomplishment:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,'',33);
INSERT INTO "labels" VALUES(171,5,45,'satisfaction','bfa6322abeee','real',15,25,NULL,'-1',0,2.902507781982421875e-03,1.79483794959970760345e+09,'68114577c96a04b9:answer-satisfaction:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,'',33);
INSERT INTO "labels" VALUES(172,5,45,'effectiveness','91c599d145e0','real',15,25,NULL,'0',0,2.902507781982421875e-03,1.79483794959970760345e+09,'68114577c96a04b9:answer-effectiveness:dialogue:d_2JOod53WA1gOMtVuNAGI',NULL,NULL,'',33);
INSERT INTO "labels" VALUES(173,5,46,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNUG"',0,2.307415008544921875e-03,1.79483794961222958565e+09,'d069b624e6fa01d4:answer-nuggets-1:event:d_PW9BQpG_vUlWqis8lVKT:1',NULL,NULL,'CNUG',34);
INSERT INTO "labels" VALUES(174,5,47,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNUG*"',0,2.307415008544921875e-03,1.79483794961222958565e+09,'d069b624e6fa01d4:answer-nuggets-2:event:d_PW9BQpG_vUlWqis8lVKT:2',NULL,NULL,'HNUG*',34);
INSERT INTO "labels" VALUES(175,5,48,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNUG0"',0,2.307415008544921875e-03,1.79483794961222958565e+09,'d069b624e6fa01d4:answer-nuggets-4:event:d_PW9BQpG_vUlWqis8lVKT:4',NULL,NULL,'CNUG0',34);
INSERT INTO "labels" VALUES(176,5,49,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNaN"',0,2.307415008544921875e-03,1.79483794961222958565e+09,'d069b624e6fa01d4:answer-nuggets-5:event:d_PW9BQpG_vUlWqis8lVKT:5',NULL,NULL,'HNaN',34);
INSERT INTO "labels" VALUES(177,5,50,'accomplishment','72dfdcf79790','real',15,25,NULL,'1',0,3.0133724212646484375e-03,1.7948379496240401268e+09,'53775f424bb5b12f:answer-accomplishment:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,'',34);
INSERT INTO "labels" VALUES(178,5,50,'satisfaction','bfa6322abeee','real',15,25,NULL,'2',0,3.0133724212646484375e-03,1.7948379496240401268e+09,'53775f424bb5b12f:answer-satisfaction:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,'',34);
INSERT INTO "labels" VALUES(179,5,50,'effectiveness','91c599d145e0','real',15,25,NULL,'0',0,3.0133724212646484375e-03,1.7948379496240401268e+09,'53775f424bb5b12f:answer-effectiveness:dialogue:d_PW9BQpG_vUlWqis8lVKT',NULL,NULL,'',34);
INSERT INTO "labels" VALUES(180,5,56,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNUG*"',0,2.20578908920288085937e-03,1.79483794971382308006e+09,'6f14f27f96a93580:answer-nuggets-1:event:d_zCZVfmTIrYbgizNMdAsu:1',NULL,NULL,'CNUG*',35);
INSERT INTO "labels" VALUES(181,5,57,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNaN"',0,2.20578908920288085937e-03,1.79483794971382308006e+09,'6f14f27f96a93580:answer-nuggets-2:event:d_zCZVfmTIrYbgizNMdAsu:2',NULL,NULL,'HNaN',35);
INSERT INTO "labels" VALUES(182,5,58,'nuggets','cec0af60f6ee','real',15,25,NULL,'"CNUG"',0,2.20578908920288085937e-03,1.79483794971382308006e+09,'6f14f27f96a93580:answer-nuggets-4:event:d_zCZVfmTIrYbgizNMdAsu:4',NULL,NULL,'CNUG',35);
INSERT INTO "labels" VALUES(183,5,59,'nuggets','cec0af60f6ee','real',15,25,NULL,'"HNUG"',0,2.20578908920288085937e-03,1.79483794971382308006e+09,'6f14f27f96a93580:answer-nuggets-5:event:d_zCZVfmTIrYbgizNMdAsu:5',NULL,NULL,'HNUG',35);
INSERT INTO "labels" VALUES(184,5,60,'accomplishment','72dfdcf79790','real',15,25,NULL,'2',0,2.89209683736165379039e-03,1.79483794972567629814e+09,'2ef969461765ccd0:answer-accomplishment:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,'',35);
INSERT INTO "labels" VALUES(185,5,60,'satisfaction','bfa6322abeee','real',15,25,NULL,'2',0,2.89209683736165379039e-03,1.79483794972567629814e+09,'2ef969461765ccd0:answer-satisfaction:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,'',35);
INSERT INTO "labels" VALUES(186,5,60,'effectiveness','91c599d145e0','real',15,25,NULL,'-1',0,2.89209683736165379039e-03,1.79483794972567629814e+09,'2ef969461765ccd0:answer-effectiveness:dialogue:d_zCZVfmTIrYbgizNMdAsu',NULL,NULL,'',35);
INSERT INTO "labels" VALUES(187,3,63,'preference','0cf2a0db3075','real',18,27,'["first","second"]','"first"',0,NULL,1.79483817114148831367e+09,'a_31Yr-21w7psvN8r1KtBU:preference',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(188,3,66,'preference','0cf2a0db3075','real',19,28,'["first","second"]','"second"',0,NULL,1.79483817117664980888e+09,'a_MSr7WYu98rM-nJ4Guofq:preference',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(189,3,69,'preference','0cf2a0db3075','real',20,29,'["second","first"]','"second"',0,NULL,1.79483817118325543404e+09,'a_rI3ff6C7VOHKreT1Dtts:preference',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(190,3,72,'preference','0cf2a0db3075','real',21,30,'["second","first"]','"first"',0,NULL,1.79483817122243714333e+09,'a_YuYaMfyEJ03eTDp8GSKs:preference',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(191,3,75,'preference','0cf2a0db3075','real',22,31,'["second","first"]','"second"',0,NULL,1.79483817123002147675e+09,'a_gJXu7jXdJtsu3uhO59SS:preference',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(192,3,78,'preference','0cf2a0db3075','real',23,32,'["first","second"]','"second"',0,NULL,1.79483817126332306862e+09,'a_Oo6AQPZVQqTzFqqzTO98:preference',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(193,3,81,'preference','0cf2a0db3075','real',24,33,'["second","first"]','"second"',0,NULL,1.7948381712796933651e+09,'a_qk9KI0PvN3WrDL-pwVuC:preference',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(194,3,84,'preference','0cf2a0db3075','real',25,34,'["first","second"]','"second"',0,NULL,1.79483817131174731255e+09,'a_Yyc4XGhUxadIzApgwSEt:preference',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(195,3,87,'preference','0cf2a0db3075','real',26,35,'["first","second"]','"second"',0,NULL,1794838171.31978,'a_voWB22-7lr2Q4b_aNsrX:preference',NULL,NULL,'second',NULL);
INSERT INTO "labels" VALUES(196,3,90,'preference','0cf2a0db3075','real',27,36,'["first","second"]','"first"',0,NULL,1.79483817132921504974e+09,'a_jbKN3jkaouf0rAOnCMO5:preference',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(197,3,93,'preference','0cf2a0db3075','real',28,37,'["second","first"]','"first"',0,NULL,1.79483817133942461014e+09,'a_bRKle6PiWhcC6iGm9kCm:preference',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(198,3,96,'preference','0cf2a0db3075','real',29,38,'["first","second"]','"first"',0,NULL,1.79483817134391784668e+09,'a_6SPehbLgVUesrD8qFtwK:preference',NULL,NULL,'first',NULL);
INSERT INTO "labels" VALUES(199,9,99,'nuggets','cec0af60f6ee','real',30,NULL,NULL,'"CNUG0"',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'CNUG0',NULL);
INSERT INTO "labels" VALUES(200,9,98,'nuggets','cec0af60f6ee','real',30,NULL,NULL,'"HNUG*"',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'HNUG*',NULL);
INSERT INTO "labels" VALUES(201,9,97,'accomplishment','72dfdcf79790','real',30,NULL,NULL,'2',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(202,9,97,'satisfaction','bfa6322abeee','real',30,NULL,NULL,'2',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(203,9,97,'effectiveness','91c599d145e0','real',30,NULL,NULL,'1',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(204,9,99,'nuggets','cec0af60f6ee','real',31,NULL,NULL,'"CNUG"',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'CNUG',NULL);
INSERT INTO "labels" VALUES(205,9,98,'nuggets','cec0af60f6ee','real',31,NULL,NULL,'"HNUG"',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'HNUG',NULL);
INSERT INTO "labels" VALUES(206,9,97,'accomplishment','72dfdcf79790','real',31,NULL,NULL,'1',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(207,9,97,'satisfaction','bfa6322abeee','real',31,NULL,NULL,'0',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(208,9,97,'effectiveness','91c599d145e0','real',31,NULL,NULL,'-1',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(209,9,101,'nuggets','cec0af60f6ee','real',32,NULL,NULL,'"CNUG0"',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'CNUG0',NULL);
INSERT INTO "labels" VALUES(210,9,102,'nuggets','cec0af60f6ee','real',32,NULL,NULL,'"HNUG"',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'HNUG',NULL);
INSERT INTO "labels" VALUES(211,9,103,'nuggets','cec0af60f6ee','real',32,NULL,NULL,'"CNaN"',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'CNaN',NULL);
INSERT INTO "labels" VALUES(212,9,100,'accomplishment','72dfdcf79790','real',32,NULL,NULL,'0',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(213,9,100,'satisfaction','bfa6322abeee','real',32,NULL,NULL,'-1',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(214,9,100,'effectiveness','91c599d145e0','real',32,NULL,NULL,'0',0,NULL,1.79483817280611205101e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(215,4,32,'warmth','ce567997d45a','real',33,NULL,NULL,'7',0,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(216,4,32,'quality_likert','2f5c02262795','real',33,NULL,NULL,'4',0,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(217,4,32,'overall_comment','e8459ecde637','real',33,NULL,NULL,NULL,1,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(218,4,31,'polite','194af55a0081','real',33,NULL,NULL,'"yes"',0,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,'yes',NULL);
INSERT INTO "labels" VALUES(219,4,34,'warmth','ce567997d45a','real',33,NULL,NULL,'7',0,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(220,4,34,'quality_likert','2f5c02262795','real',33,NULL,NULL,'4',0,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,'',NULL);
INSERT INTO "labels" VALUES(221,4,34,'overall_comment','e8459ecde637','real',33,NULL,NULL,NULL,1,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "labels" VALUES(222,4,33,'polite','194af55a0081','real',33,NULL,NULL,'"yes"',0,1.5,1.79483825967311763763e+09,NULL,NULL,NULL,'yes',NULL);
CREATE TABLE leases (
	dialogue_id INTEGER NOT NULL, 
	holder TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	expires FLOAT NOT NULL, 
	PRIMARY KEY (dialogue_id), 
	FOREIGN KEY(dialogue_id) REFERENCES dialogues (id)
);
CREATE TABLE meta (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('secret','f4d4ae58692cf98f41c460d24494614ca6f3b0781eb018391b436b06a9b9e0d4');
CREATE TABLE model_versions (
	id INTEGER NOT NULL, 
	model_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	options TEXT NOT NULL, 
	folder TEXT DEFAULT '' NOT NULL, 
	digest TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (model_id, digest), 
	UNIQUE (model_id, number), 
	FOREIGN KEY(model_id) REFERENCES models (id)
);
INSERT INTO "model_versions" VALUES(1,1,1,'handler','{"handler":"handler:Handler","concurrency":1}','models/nli/rules/5cd778cacc72aafd','5cd778cacc72aafd770d082a37dd742ace6d069afd909e63e3c24c0205297c48',1.79483818511656570435e+09);
INSERT INTO "model_versions" VALUES(2,1,2,'handler','{"handler":"handler:Handler","concurrency":1}','models/nli/rules/84918b2767e304dd','84918b2767e304dd57f0cc3ce5a09b0e430bebef821149d79c239931bc16fa0c',1.79483818734689354897e+09);
INSERT INTO "model_versions" VALUES(3,2,1,'handler','{"handler":"handler:Handler","concurrency":1}','models/nli/broken/7f1fba31e42957c7','7f1fba31e42957c7f3d331efe26c39f721a3966585028a6b93a04b81fd8fd8dd',1.79483819107707452774e+09);
INSERT INTO "model_versions" VALUES(4,3,1,'handler','{"handler":"handler:Handler","concurrency":1}','models/nli/old/01f35f517d84448b','01f35f517d84448be3fd690fce21e80edc807e80271b2558d19936bd6132f6c1',1.79483822462672972679e+09);
INSERT INTO "model_versions" VALUES(5,4,1,'handler','{"handler":"handler:Handler","concurrency":1}','models/nli/hidden/3ed32c2934be35f0','3ed32c2934be35f05a2cbff0438a8ca1d258c3ed9a1c68a5e64e21a731345378',1.79483822999914264679e+09);
INSERT INTO "model_versions" VALUES(6,5,1,'command','{"run":["python3","model.py"]}','models/nli/program/70550478a13517d4','70550478a13517d4c1116eac5cac60aa83ef98d2b98c4e685843d7f1812c7861',1.79483823215991520882e+09);
INSERT INTO "model_versions" VALUES(7,6,1,'predictions','{"2a61273ccb5fe0ffe0269c1e3c15db32acd5dca384d5cfcbbce07aba691e6443":"predictions/nli/uploaded/test-205bf8b184f25620.jsonl","d982dac3d3ac58f2bf2805b9e8e47a17bea88ce45f244c4f52babad60c9b8b03":"predictions/nli/uploaded/dev-732ce889c4d3030f.jsonl"}','','347f672c76092ed6ae7c8dd7e73e978316c9c4a59001ec2b37a861b7401bcef7',1.79483823420145368576e+09);
INSERT INTO "model_versions" VALUES(8,7,1,'handler','{"handler":"handler:Handler","concurrency":1}','models/nli/never/a582ed6f4b37f682','a582ed6f4b37f68217a9ed765280220f4d1008e8a58ef09859121233fb770776',1.79483823756116747856e+09);
INSERT INTO "model_versions" VALUES(9,8,1,'handler','{"handler":"handler:Handler","concurrency":1}','models/nli/later/b84d70565e7303e4','b84d70565e7303e45c85555a9905835ed86ef5e83abf319c8be7b3ca9788b830',1.79483824377282071114e+09);
INSERT INTO "model_versions" VALUES(10,9,1,'predictions','{"47b9277a34071fb4dff838ab28523dcbb763e30c81dfca34dd34be1cbd3ff463":"predictions/qa/reader/lakes-cceea81283519001.jsonl"}','','b9a1f37f53b28692be48920bfc983d22ea91bdc6d52fa901d957e5217ad6a3b8',1.79483824751570439339e+09);
INSERT INTO "model_versions" VALUES(11,10,1,'predictions','{"2a61273ccb5fe0ffe0269c1e3c15db32acd5dca384d5cfcbbce07aba691e6443":"predictions/nli/blue-1/test-021b5aa4c08db5f7.jsonl"}','','77f27bc12660f58904ac5c266c1bc56040e99ff0e78b71a0d897b6bc87524876',1.79483825986597847939e+09);
INSERT INTO "model_versions" VALUES(12,11,1,'predictions','{"2a61273ccb5fe0ffe0269c1e3c15db32acd5dca384d5cfcbbce07aba691e6443":"predictions/nli/green-1/test-021b5aa4c08db5f7.jsonl"}','','1889e858489a274a9528a7869a9c3e36e17ebf055db70d91632dacbb04c99d44',1.79483826396085119247e+09);
CREATE TABLE models (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	task_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	submitter_id INTEGER, 
	about TEXT DEFAULT '' NOT NULL, 
	link TEXT DEFAULT '' NOT NULL, 
	tags TEXT DEFAULT '[]' NOT NULL, 
	published BOOLEAN DEFAULT false NOT NULL, 
	anonymous BOOLEAN DEFAULT false NOT NULL, 
	retired FLOAT, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (task_id, name), 
	UNIQUE ("key"), 
	FOREIGN KEY(task_id) REFERENCES tasks (id), 
	FOREIGN KEY(submitter_id) REFERENCES submitters (id)
);
INSERT INTO "models" VALUES(1,'m_GyIbJxwEwgADkxOf0MJk',1,'rules',NULL,'Looks at one word.','https://example.org/rules','["tiny","rules"]',1,0,NULL,1.79483818511656570435e+09);
INSERT INTO "models" VALUES(2,'m_RV3J_go2FWOGgLHVyLwx',1,'broken',NULL,'','','[]',0,0,NULL,1.79483819107707452774e+09);
INSERT INTO "models" VALUES(3,'m_uFSpmEZEpHu6zWbubmeT',1,'old',NULL,'','','[]',1,0,1.79483822702385926247e+09,1.79483822462672972679e+09);
INSERT INTO "models" VALUES(4,'m_lB7f7L-7gsC_shJ_8sLB',1,'hidden',NULL,'','','[]',1,1,NULL,1.79483822999914264679e+09);
INSERT INTO "models" VALUES(5,'m_8ffRbrnJUyJz1OA6v8-g',1,'program',NULL,'','','[]',0,0,NULL,1.79483823215991520882e+09);
INSERT INTO "models" VALUES(6,'m_zt5LGssSZX0A-1BBKXkh',1,'uploaded',NULL,'By hand.','','[]',0,0,NULL,1.79483823420145368576e+09);
INSERT INTO "models" VALUES(7,'m_w7NHNK2Vxjhk8Ho0tn5S',1,'never',NULL,'','','[]',0,0,NULL,1.79483823756116747856e+09);
INSERT INTO "models" VALUES(8,'m_T-0j05GeIRFl0I8Go_1Q',1,'later',NULL,'','','[]',0,0,NULL,1.79483824377282071114e+09);
INSERT INTO "models" VALUES(9,'m_iUAlA8bFD8_98GbibMPS',2,'reader',NULL,'','','[]',0,0,NULL,1.79483824751570439339e+09);
INSERT INTO "models" VALUES(10,'m_ZfRiBVsrHoka7Fqkdcby',1,'blue-1',1,'Ours','','[]',1,0,NULL,1.79483825986597847939e+09);
INSERT INTO "models" VALUES(11,'m_JA-ftEh2hsjZPX5yC_zo',1,'green-1',3,'','','[]',0,0,1.7948382660170545578e+09,1.79483826396085119247e+09);
CREATE TABLE participants (
	id INTEGER NOT NULL, 
	alias TEXT NOT NULL, 
	crowd TEXT NOT NULL, 
	external_id TEXT, 
	created FLOAT NOT NULL, 
	erased FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (crowd, external_id), 
	UNIQUE (alias)
);
INSERT INTO "participants" VALUES(1,'p_HOtBPM362M4XYEamCRwI','link','ann',1.79483794141812205315e+09,NULL);
INSERT INTO "participants" VALUES(2,'p_7_Yk5NCWMuuonesxiRz1','link','bob',1.79483794217637324333e+09,NULL);
INSERT INTO "participants" VALUES(3,'p_eQ-6jrPqJwt1yRfikDDd','link','cyd',1.79483794227070617676e+09,NULL);
INSERT INTO "participants" VALUES(4,'p_ZMSSvpXXezgT5nDC_SRr','link','dan',1.79483794232157468796e+09,NULL);
INSERT INTO "participants" VALUES(5,'p_JgfP_bh_3tg43PINZfa8','link',NULL,1.79483794246269083023e+09,1.79483794251546692848e+09);
INSERT INTO "participants" VALUES(6,'p_h7STUgAfXyiE0Xui0lf4','link',NULL,1.79483794254621863365e+09,1.7948379425521812439e+09);
INSERT INTO "participants" VALUES(7,'p_ojvIFo0t9-M7wP6LmUyS','prolific','pid0',1.79483794255850839615e+09,NULL);
INSERT INTO "participants" VALUES(8,'p_f9M7qtKQT5fPlATVGdnE','prolific','pid1',1.79483794275747609138e+09,NULL);
INSERT INTO "participants" VALUES(9,'p_paVvvw1ufiwaUb1FlGja','prolific','pid2',1.79483794283321499825e+09,NULL);
INSERT INTO "participants" VALUES(10,'p_rtD78G7zpHUfXa4jFCHa','prolific','pid3',1.79483794290566635132e+09,NULL);
INSERT INTO "participants" VALUES(11,'p_iyCbtVacp_TMEiXrd7UE','link','pa',1.79483794298140883446e+09,NULL);
INSERT INTO "participants" VALUES(12,'p_vlpjleVvaqcj1HV7RRH1','link','pb',1.79483794298775362968e+09,NULL);
INSERT INTO "participants" VALUES(13,'p_oHzCc3Glr7g4UOMD33x0','link','alone',1.79483794305397129059e+09,NULL);
INSERT INTO "participants" VALUES(14,'p_YeX2_H3z6nM6B1BFy_dT','link','careful',1.79483794612267923355e+09,NULL);
INSERT INTO "participants" VALUES(15,'p_OawWkEPhHl5_ZhIhYYcB','link','second',1.79483794629196596146e+09,NULL);
INSERT INTO "participants" VALUES(16,'p_qeTtdPU0pk-dD9LDa93Z','link','careless',1.79483794640601611137e+09,NULL);
INSERT INTO "participants" VALUES(17,'p_NsLjuACaZR652gjRb2t6','link','fails',1.7948379464616112709e+09,NULL);
INSERT INTO "participants" VALUES(18,'p_LsgmCIDK3TDeThew8oOx','link','ida',1.79483794652496147156e+09,NULL);
INSERT INTO "participants" VALUES(19,'p_yNnGBFcykjj1-UX4zlIh','link','jon',1.79483794670329475403e+09,NULL);
INSERT INTO "participants" VALUES(20,'p_K1yLKx3SIt82D1h3Epll','link','kay',1.79483794680708527565e+09,NULL);
INSERT INTO "participants" VALUES(21,'p_f29y8TTCKTvEOIGXhwdN','link','lea',1.79483794698033666611e+09,NULL);
INSERT INTO "participants" VALUES(22,'p_N-_PMP1uXNnbbopKNiTj','simulated','3:1',1.79483817105755090714e+09,NULL);
INSERT INTO "participants" VALUES(23,'p_3S_waQLlN6gDmVnNJ2Qq','simulated','3:2',1.79483817107632899284e+09,NULL);
INSERT INTO "participants" VALUES(24,'p_L7jPm_me60BerqdK-fyP','simulated','3:3',1.79483817109765672684e+09,NULL);
INSERT INTO "participants" VALUES(25,'p_Fe1LPDgHCRNyXCs4MsJ2','simulated','3:4',1.79483817111866259575e+09,NULL);
INSERT INTO "participants" VALUES(26,'p_ONiuI97MLNwJbUbVDuGl','simulated','3:5',1.79483817113917279243e+09,NULL);
INSERT INTO "participants" VALUES(27,'p_u1OKHDyLkwRPpLiahKJy','simulated','3:6',1.79483817116072463989e+09,NULL);
INSERT INTO "participants" VALUES(28,'p_GbkpvbTa5XC_Z6MH8G-M','simulated','3:7',1.79483817118138957024e+09,NULL);
INSERT INTO "participants" VALUES(29,'p_fi4Jr7BqQrNrhsO7qwQd','simulated','3:8',1.79483817120194172859e+09,NULL);
INSERT INTO "participants" VALUES(30,'p_LnJvlgAfyRafmy90Rxs6','simulated','3:9',1.79483817122296357155e+09,NULL);
INSERT INTO "participants" VALUES(31,'p_0qso_oVMgFwxuYFhjANm','simulated','3:10',1.79483817124391627312e+09,NULL);
INSERT INTO "participants" VALUES(32,'p_jtf6DxJzpd4sjhl7RbfO','simulated','3:11',1.79483817126555395126e+09,NULL);
INSERT INTO "participants" VALUES(33,'p_tuacTo9c0IEu36tcijon','simulated','3:12',1794838171.28602,NULL);
CREATE TABLE places (
	id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	condition TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	group_key TEXT, 
	since FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (study_id, stage, condition, number), 
	CONSTRAINT place_state CHECK (state IN ('free', 'held', 'done')), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	UNIQUE (group_key)
);
INSERT INTO "places" VALUES(1,1,0,'heron',1,'done','g_MKnIRq-CE4SPdB1-QiE0',1.79483794158248186111e+09);
INSERT INTO "places" VALUES(2,1,0,'heron',2,'done','g_3gjwyRKApqTKyMDoReTM',1.79483794228325462341e+09);
INSERT INTO "places" VALUES(3,1,0,'heron',3,'done','g_cVrL5HiNDETegKet3dE8',1.79483794241294908524e+09);
INSERT INTO "places" VALUES(4,1,0,'heron',4,'free',NULL,NULL);
INSERT INTO "places" VALUES(5,1,0,'wren',1,'done','g_LoM15sRKBm3PjEmZCD2z',1.79483794223147320747e+09);
INSERT INTO "places" VALUES(6,1,0,'wren',2,'free',NULL,NULL);
INSERT INTO "places" VALUES(7,1,0,'wren',3,'free',NULL,NULL);
INSERT INTO "places" VALUES(8,2,0,'heron|wren',1,'done','g_LRxvhU-uHPvQ1LMfiu-K',1.79483794256787014008e+09);
INSERT INTO "places" VALUES(9,2,0,'heron|wren',2,'done','g_Bh9aedZ5OxTF5x6WpL_E',1.79483794276631474495e+09);
INSERT INTO "places" VALUES(10,2,0,'heron|wren',3,'done','g_f7Q14LAdwxdTH8v0VlHC',1.79483794284190607071e+09);
INSERT INTO "places" VALUES(11,2,0,'heron|wren',4,'done','g_Y_D6XTHZZhTZl-1nny08',1.79483794291454434395e+09);
INSERT INTO "places" VALUES(12,2,0,'heron|wren',5,'free',NULL,NULL);
INSERT INTO "places" VALUES(13,3,0,'good|poor',1,'done','g__nYzFScbwmSG1HwhHdXA',1.79483817108968877792e+09);
INSERT INTO "places" VALUES(14,3,0,'good|poor',2,'done','g_P9bfCo4xZIS64t4JPXMv',1.79483817114583683014e+09);
INSERT INTO "places" VALUES(15,3,0,'good|poor',3,'done','g_hqJC10yzMseNf6wPr8jX',1.79483817119220805168e+09);
INSERT INTO "places" VALUES(16,3,0,'good|poor',4,'done','g_w6rPOrAzVroI0gjn_1VO',1.79483817127978301048e+09);
INSERT INTO "places" VALUES(17,3,0,'good|plain',1,'done','g_KTDfYbvkk0VuZYZqMlV5',1.79483817106633257866e+09);
INSERT INTO "places" VALUES(18,3,0,'good|plain',2,'done','g_NGmvoqXgaTPbmyDZeBJG',1.79483817117675638199e+09);
INSERT INTO "places" VALUES(19,3,0,'good|plain',3,'done','g_rbgGbHU-5cISOWcbFwPz',1.79483817123878860474e+09);
INSERT INTO "places" VALUES(20,3,0,'good|plain',4,'done','g_jO077ZpK5308NajIg8iH',1.79483817129836392403e+09);
INSERT INTO "places" VALUES(21,3,0,'poor|plain',1,'done','g_0KzHbpSK3MyEAQD9fLT0',1.79483817110791444778e+09);
INSERT INTO "places" VALUES(22,3,0,'poor|plain',2,'done','g_9LmKyjcBvfZJE_XMxH_z',1.79483817112518525124e+09);
INSERT INTO "places" VALUES(23,3,0,'poor|plain',3,'done','g_urQEo2IvJKJl-togut62',1.79483817121773910522e+09);
INSERT INTO "places" VALUES(24,3,0,'poor|plain',4,'done','g_giYkCxFAzavH_vtenv2Y',1.79483817126012182236e+09);
INSERT INTO "places" VALUES(25,6,0,'people',1,'done','g_GYoTD5enA6sRrWvfCcO3',1.79483794301345324516e+09);
INSERT INTO "places" VALUES(26,6,0,'people',2,'done','g_-s7XgI9BU6hSD8ZmUB5-',1.79483794609337973595e+09);
CREATE TABLE predictions (
	run_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	uid TEXT NOT NULL, 
	answer TEXT, 
	problem TEXT, 
	seconds FLOAT NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 WITHOUT ROWID

;
INSERT INTO "predictions" VALUES(1,0,'t0','{"label":"entailed"}',NULL,4.13636999837763141841e-04);
INSERT INTO "predictions" VALUES(1,1,'t1','{"label":"contradictory"}',NULL,3.73152999827652820386e-04);
INSERT INTO "predictions" VALUES(1,2,'t2','{"label":"contradictory"}',NULL,3.09024800003498967271e-03);
INSERT INTO "predictions" VALUES(1,3,'t3','{"label":"entailed"}',NULL,3.28738999996858183295e-04);
INSERT INTO "predictions" VALUES(1,4,'t4','{"label":"contradictory"}',NULL,1.97449000006599817425e-03);
INSERT INTO "predictions" VALUES(1,5,'t5','{"label":"contradictory"}',NULL,3.16693000058876350522e-04);
INSERT INTO "predictions" VALUES(1,6,'t6','{"label":"entailed"}',NULL,2.74207000074966344982e-04);
INSERT INTO "predictions" VALUES(1,7,'t7','{"label":"contradictory"}',NULL,2.49808399985340656713e-03);
INSERT INTO "predictions" VALUES(1,8,'t8','{"label":"contradictory"}',NULL,2.88968999939243076369e-04);
INSERT INTO "predictions" VALUES(1,9,'t9','{"label":"entailed"}',NULL,1.24022199997853022069e-03);
INSERT INTO "predictions" VALUES(1,10,'t10','{"label":"contradictory"}',NULL,3.00981000009414856322e-04);
INSERT INTO "predictions" VALUES(1,11,'t11','{"label":"contradictory"}',NULL,2.41902999960075248964e-04);
INSERT INTO "predictions" VALUES(1,12,'t12','{"label":"entailed"}',NULL,1.04885300015666871332e-03);
INSERT INTO "predictions" VALUES(1,13,'t13','{"label":"contradictory"}',NULL,4.27864000130284694023e-04);
INSERT INTO "predictions" VALUES(1,14,'t14','{"label":"contradictory"}',NULL,9.93419999986144830473e-04);
INSERT INTO "predictions" VALUES(2,0,'t0_f','{"label":"entailed"}',NULL,3.50113000195051426999e-04);
INSERT INTO "predictions" VALUES(2,1,'t1_f','{"label":"contradictory"}',NULL,1.15102399990973935928e-03);
INSERT INTO "predictions" VALUES(2,2,'t2_f','{"label":"contradictory"}',NULL,9.41314399983639304992e-03);
INSERT INTO "predictions" VALUES(2,3,'t3_f','{"label":"entailed"}',NULL,2.52517800004170567263e-03);
INSERT INTO "predictions" VALUES(2,4,'t4_f','{"label":"contradictory"}',NULL,7.13420000010955845937e-04);
INSERT INTO "predictions" VALUES(2,5,'t5_f','{"label":"contradictory"}',NULL,0.00952073799999198);
INSERT INTO "predictions" VALUES(2,6,'t6_f','{"label":"entailed"}',NULL,4.5064200003253063187e-04);
INSERT INTO "predictions" VALUES(2,7,'t7_f','{"label":"contradictory"}',NULL,5.44438199995056493208e-03);
INSERT INTO "predictions" VALUES(2,8,'t8_f','{"label":"contradictory"}',NULL,1.23803980000047886278e-02);
INSERT INTO "predictions" VALUES(2,9,'t9_f','{"label":"entailed"}',NULL,5.26458999979695363436e-03);
INSERT INTO "predictions" VALUES(3,0,'t0_typos','{"label":"contradictory"}',NULL,1.05563900001470756251e-03);
INSERT INTO "predictions" VALUES(3,1,'t1_typos','{"label":"contradictory"}',NULL,5.67606999993586214259e-04);
INSERT INTO "predictions" VALUES(3,2,'t2_typos','{"label":"contradictory"}',NULL,5.86321999890060396865e-04);
INSERT INTO "predictions" VALUES(3,3,'t3_typos','{"label":"contradictory"}',NULL,1.08502100010809954256e-03);
INSERT INTO "predictions" VALUES(3,4,'t4_typos','{"label":"contradictory"}',NULL,1.10052100012580922339e-03);
INSERT INTO "predictions" VALUES(3,5,'t5_typos','{"label":"contradictory"}',NULL,1.00307699995028087869e-03);
INSERT INTO "predictions" VALUES(3,6,'t6_typos','{"label":"contradictory"}',NULL,2.87065000065922504291e-04);
INSERT INTO "predictions" VALUES(3,7,'t7_typos','{"label":"contradictory"}',NULL,1.01286600011007976718e-03);
INSERT INTO "predictions" VALUES(3,8,'t8_typos','{"label":"contradictory"}',NULL,4.44324000000051455572e-04);
INSERT INTO "predictions" VALUES(3,9,'t9_typos','{"label":"entailed"}',NULL,5.55487999918113928288e-04);
INSERT INTO "predictions" VALUES(3,10,'t10_typos','{"label":"contradictory"}',NULL,9.48643999890919076279e-04);
INSERT INTO "predictions" VALUES(3,11,'t11_typos','{"label":"contradictory"}',NULL,3.61657000212289858609e-04);
INSERT INTO "predictions" VALUES(3,12,'t12_typos','{"label":"contradictory"}',NULL,2.44242799999483395368e-03);
INSERT INTO "predictions" VALUES(3,13,'t13_typos','{"label":"contradictory"}',NULL,2.50293299995973939076e-03);
INSERT INTO "predictions" VALUES(3,14,'t14_typos','{"label":"contradictory"}',NULL,3.47839999903953867033e-04);
INSERT INTO "predictions" VALUES(4,0,'t0','{"label":"entailed"}',NULL,3.80964000214589759707e-04);
INSERT INTO "predictions" VALUES(4,1,'t1','{"label":"neutral"}',NULL,3.37690000151269487105e-04);
INSERT INTO "predictions" VALUES(4,2,'t2','{"label":"contradictory"}',NULL,4.33532800002467411105e-03);
INSERT INTO "predictions" VALUES(4,3,'t3','{"label":"entailed"}',NULL,3.10752999894248205237e-04);
INSERT INTO "predictions" VALUES(4,4,'t4','{"label":"neutral"}',NULL,0.000642756000161171);
INSERT INTO "predictions" VALUES(4,5,'t5','{"label":"contradictory"}',NULL,3.21730999985447851941e-04);
INSERT INTO "predictions" VALUES(4,6,'t6','{"label":"entailed"}',NULL,2.62621000047147390433e-04);
INSERT INTO "predictions" VALUES(4,7,'t7','{"label":"neutral"}',NULL,2.7178419998108438449e-03);
INSERT INTO "predictions" VALUES(4,8,'t8','{"label":"contradictory"}',NULL,3.01325000009455834515e-04);
INSERT INTO "predictions" VALUES(4,9,'t9','{"label":"entailed"}',NULL,1.17650099991806200705e-03);
INSERT INTO "predictions" VALUES(4,10,'t10','{"label":"neutral"}',NULL,2.42600999854403198697e-04);
INSERT INTO "predictions" VALUES(4,11,'t11','{"label":"contradictory"}',NULL,2.38875999912124825642e-04);
INSERT INTO "predictions" VALUES(4,12,'t12','{"label":"entailed"}',NULL,2.24279000121896388009e-04);
INSERT INTO "predictions" VALUES(4,13,'t13','{"label":"neutral"}',NULL,2.83949899994695442729e-03);
INSERT INTO "predictions" VALUES(4,14,'t14','{"label":"contradictory"}',NULL,2.91282000034698285162e-04);
INSERT INTO "predictions" VALUES(5,0,'t0_f','{"label":"entailed"}',NULL,8.57567999992170371115e-03);
INSERT INTO "predictions" VALUES(5,1,'t1_f','{"label":"neutral"}',NULL,2.76996999900802620687e-04);
INSERT INTO "predictions" VALUES(5,2,'t2_f','{"label":"contradictory"}',NULL,5.33676300005936354864e-03);
INSERT INTO "predictions" VALUES(5,3,'t3_f','{"label":"entailed"}',NULL,2.34246600007281813305e-03);
INSERT INTO "predictions" VALUES(5,4,'t4_f','{"label":"neutral"}',NULL,7.21599199982847494539e-03);
INSERT INTO "predictions" VALUES(5,5,'t5_f','{"label":"contradictory"}',NULL,1.65344649999497050885e-02);
INSERT INTO "predictions" VALUES(5,6,'t6_f','{"label":"entailed"}',NULL,7.55628299998534203041e-03);
INSERT INTO "predictions" VALUES(5,7,'t7_f','{"label":"neutral"}',NULL,6.33901099990907823667e-03);
INSERT INTO "predictions" VALUES(5,8,'t8_f','{"label":"contradictory"}',NULL,9.49226700004146550782e-03);
INSERT INTO "predictions" VALUES(5,9,'t9_f','{"label":"entailed"}',NULL,4.09705800007031939458e-03);
INSERT INTO "predictions" VALUES(6,0,'t0_typos','{"label":"contradictory"}',NULL,9.20089999908668687567e-04);
INSERT INTO "predictions" VALUES(6,1,'t1_typos','{"label":"contradictory"}',NULL,0.000605588000098578);
INSERT INTO "predictions" VALUES(6,2,'t2_typos','{"label":"contradictory"}',NULL,3.23443600018435972743e-03);
INSERT INTO "predictions" VALUES(6,3,'t3_typos','{"label":"contradictory"}',NULL,3.74466000039319624193e-04);
INSERT INTO "predictions" VALUES(6,4,'t4_typos','{"label":"neutral"}',NULL,0.00879858799999056);
INSERT INTO "predictions" VALUES(6,5,'t5_typos','{"label":"contradictory"}',NULL,4.93635300017558620311e-03);
INSERT INTO "predictions" VALUES(6,6,'t6_typos','{"label":"contradictory"}',NULL,5.36538999995173071511e-03);
INSERT INTO "predictions" VALUES(6,7,'t7_typos','{"label":"neutral"}',NULL,2.47104999971270444803e-04);
INSERT INTO "predictions" VALUES(6,8,'t8_typos','{"label":"contradictory"}',NULL,2.45038000002750777639e-04);
INSERT INTO "predictions" VALUES(6,9,'t9_typos','{"label":"entailed"}',NULL,2.00763000066217500716e-04);
INSERT INTO "predictions" VALUES(6,10,'t10_typos','{"label":"neutral"}',NULL,1.91844000028140726499e-04);
INSERT INTO "predictions" VALUES(6,11,'t11_typos','{"label":"contradictory"}',NULL,1.90924999969865893945e-04);
INSERT INTO "predictions" VALUES(6,12,'t12_typos','{"label":"contradictory"}',NULL,0.00815589000012551);
INSERT INTO "predictions" VALUES(6,13,'t13_typos','{"label":"neutral"}',NULL,4.00627699991673580371e-03);
INSERT INTO "predictions" VALUES(6,14,'t14_typos','{"label":"contradictory"}',NULL,0.0041920650000975);
INSERT INTO "predictions" VALUES(10,0,'t0','{"label":"entailed"}',NULL,1.32539100013673305511e-03);
INSERT INTO "predictions" VALUES(10,1,'t1','{"label":"contradictory"}',NULL,1.23135100011495524086e-03);
INSERT INTO "predictions" VALUES(10,2,'t2','{"label":"contradictory"}',NULL,7.72588300014831474982e-03);
INSERT INTO "predictions" VALUES(10,3,'t3','{"label":"entailed"}',NULL,1.45994700005758204497e-03);
INSERT INTO "predictions" VALUES(10,4,'t4','{"label":"contradictory"}',NULL,5.34020899999632092658e-03);
INSERT INTO "predictions" VALUES(10,5,'t5','{"label":"contradictory"}',NULL,1.11351800001102674287e-03);
INSERT INTO "predictions" VALUES(10,6,'t6','{"label":"entailed"}',NULL,2.03026799999861395918e-03);
INSERT INTO "predictions" VALUES(10,7,'t7','{"label":"contradictory"}',NULL,1.83492899986958946101e-03);
INSERT INTO "predictions" VALUES(10,8,'t8','{"label":"contradictory"}',NULL,3.95023500004754168913e-03);
INSERT INTO "predictions" VALUES(10,9,'t9','{"label":"entailed"}',NULL,3.76773699986188148614e-03);
INSERT INTO "predictions" VALUES(10,10,'t10','{"label":"contradictory"}',NULL,2.02486200009843742009e-03);
INSERT INTO "predictions" VALUES(10,11,'t11','{"label":"contradictory"}',NULL,5.87033500005418318324e-03);
INSERT INTO "predictions" VALUES(10,12,'t12','{"label":"entailed"}',NULL,3.55410100019071251154e-03);
INSERT INTO "predictions" VALUES(10,13,'t13','{"label":"contradictory"}',NULL,2.14019200006987375673e-03);
INSERT INTO "predictions" VALUES(10,14,'t14','{"label":"contradictory"}',NULL,2.215942000020731939e-03);
INSERT INTO "predictions" VALUES(11,0,'t0_f','{"label":"entailed"}',NULL,1.32781380000324134016e-02);
INSERT INTO "predictions" VALUES(11,1,'t1_f','{"label":"contradictory"}',NULL,2.74191000016799080186e-04);
INSERT INTO "predictions" VALUES(11,2,'t2_f','{"label":"contradictory"}',NULL,0.000244537000071432);
INSERT INTO "predictions" VALUES(11,3,'t3_f','{"label":"entailed"}',NULL,2.00096000003213703167e-03);
INSERT INTO "predictions" VALUES(11,4,'t4_f','{"label":"contradictory"}',NULL,8.17493000113245216198e-04);
INSERT INTO "predictions" VALUES(11,5,'t5_f','{"label":"contradictory"}',NULL,7.05995499993150588125e-03);
INSERT INTO "predictions" VALUES(11,6,'t6_f','{"label":"entailed"}',NULL,4.39390299993647204246e-03);
INSERT INTO "predictions" VALUES(11,7,'t7_f','{"label":"contradictory"}',NULL,2.3321399999076675158e-04);
INSERT INTO "predictions" VALUES(11,8,'t8_f','{"label":"contradictory"}',NULL,0.00353089700001874);
INSERT INTO "predictions" VALUES(11,9,'t9_f','{"label":"entailed"}',NULL,2.34498380000331962947e-02);
INSERT INTO "predictions" VALUES(12,0,'t0_typos','{"label":"contradictory"}',NULL,2.16577600008349691052e-03);
INSERT INTO "predictions" VALUES(12,1,'t1_typos','{"label":"contradictory"}',NULL,1.13553389999196951976e-02);
INSERT INTO "predictions" VALUES(12,2,'t2_typos','{"label":"contradictory"}',NULL,6.01787900018280197401e-03);
INSERT INTO "predictions" VALUES(12,3,'t3_typos','{"label":"contradictory"}',NULL,7.24265799999557202682e-03);
INSERT INTO "predictions" VALUES(12,4,'t4_typos','{"label":"contradictory"}',NULL,8.1401029999597085407e-03);
INSERT INTO "predictions" VALUES(12,5,'t5_typos','{"label":"contradictory"}',NULL,0.00635491300022295);
INSERT INTO "predictions" VALUES(12,6,'t6_typos','{"label":"contradictory"}',NULL,7.95063800001116760541e-03);
INSERT INTO "predictions" VALUES(12,7,'t7_typos','{"label":"contradictory"}',NULL,3.43245000067327055149e-04);
INSERT INTO "predictions" VALUES(12,8,'t8_typos','{"label":"contradictory"}',NULL,2.37087999994400888681e-03);
INSERT INTO "predictions" VALUES(12,9,'t9_typos','{"label":"entailed"}',NULL,2.2872599993206677027e-04);
INSERT INTO "predictions" VALUES(12,10,'t10_typos','{"label":"contradictory"}',NULL,2.27159000132814981043e-04);
INSERT INTO "predictions" VALUES(12,11,'t11_typos','{"label":"contradictory"}',NULL,2.16329000068071763963e-04);
INSERT INTO "predictions" VALUES(12,12,'t12_typos','{"label":"contradictory"}',NULL,4.35196699982043355703e-03);
INSERT INTO "predictions" VALUES(12,13,'t13_typos','{"label":"contradictory"}',NULL,6.70816000001650536433e-03);
INSERT INTO "predictions" VALUES(12,14,'t14_typos','{"label":"contradictory"}',NULL,5.28741800007992424071e-03);
INSERT INTO "predictions" VALUES(13,0,'t0','{"label":"entailed"}',NULL,3.91852000120707089081e-04);
INSERT INTO "predictions" VALUES(13,1,'t1','{"label":"neutral"}',NULL,3.35614000050554750487e-04);
INSERT INTO "predictions" VALUES(13,2,'t2','{"label":"contradictory"}',NULL,2.8666180000982421916e-03);
INSERT INTO "predictions" VALUES(13,3,'t3','{"label":"entailed"}',NULL,3.3380100012436741963e-04);
INSERT INTO "predictions" VALUES(13,4,'t4','{"label":"contradictory"}',NULL,1.55078600005253974814e-03);
INSERT INTO "predictions" VALUES(13,5,'t5','{"label":"contradictory"}',NULL,3.19647999958760919981e-04);
INSERT INTO "predictions" VALUES(13,6,'t6','{"label":"entailed"}',NULL,1.07372299999042297713e-03);
INSERT INTO "predictions" VALUES(13,7,'t7','{"label":"contradictory"}',NULL,2.56284700003561738413e-03);
INSERT INTO "predictions" VALUES(13,8,'t8','{"label":"contradictory"}',NULL,3.12516999883882817812e-04);
INSERT INTO "predictions" VALUES(13,9,'t9','{"label":"entailed"}',NULL,2.79228999943370581605e-04);
INSERT INTO "predictions" VALUES(13,10,'t10','{"label":"neutral"}',NULL,9.58120999939637840725e-04);
INSERT INTO "predictions" VALUES(13,11,'t11','{"label":"contradictory"}',NULL,8.8352900002064416185e-04);
INSERT INTO "predictions" VALUES(13,12,'t12','{"label":"entailed"}',NULL,2.57297000189282698557e-04);
INSERT INTO "predictions" VALUES(13,13,'t13','{"label":"neutral"}',NULL,2.64271000105509301648e-04);
INSERT INTO "predictions" VALUES(13,14,'t14','{"label":"contradictory"}',NULL,9.21591999940574169159e-04);
INSERT INTO "predictions" VALUES(14,0,'t0_f','{"label":"entailed"}',NULL,4.99815400007719290443e-03);
INSERT INTO "predictions" VALUES(14,1,'t1_f','{"label":"neutral"}',NULL,1.15460350000375910895e-02);
INSERT INTO "predictions" VALUES(14,2,'t2_f','{"label":"contradictory"}',NULL,4.08267500006331829354e-03);
INSERT INTO "predictions" VALUES(14,3,'t3_f','{"label":"entailed"}',NULL,4.8165170001084334217e-03);
INSERT INTO "predictions" VALUES(14,4,'t4_f','{"label":"contradictory"}',NULL,2.01641800003926618956e-03);
INSERT INTO "predictions" VALUES(14,5,'t5_f','{"label":"contradictory"}',NULL,9.65068300001803436317e-03);
INSERT INTO "predictions" VALUES(14,6,'t6_f','{"label":"entailed"}',NULL,6.03026899989345110953e-03);
INSERT INTO "predictions" VALUES(14,7,'t7_f','{"label":"contradictory"}',NULL,8.41035500002362823579e-03);
INSERT INTO "predictions" VALUES(14,8,'t8_f','{"label":"contradictory"}',NULL,2.06230200001300545409e-03);
INSERT INTO "predictions" VALUES(14,9,'t9_f','{"label":"entailed"}',NULL,2.76504000112254288979e-04);
INSERT INTO "predictions" VALUES(15,0,'t0_typos','{"label":"contradictory"}',NULL,6.9536000000880449079e-04);
INSERT INTO "predictions" VALUES(15,1,'t1_typos','{"label":"neutral"}',NULL,4.04271599995809083339e-03);
INSERT INTO "predictions" VALUES(15,2,'t2_typos','{"label":"contradictory"}',NULL,1.50512400000479829032e-03);
INSERT INTO "predictions" VALUES(15,3,'t3_typos','{"label":"contradictory"}',NULL,2.23220499992748955265e-03);
INSERT INTO "predictions" VALUES(15,4,'t4_typos','{"label":"contradictory"}',NULL,4.40689000015481724404e-04);
INSERT INTO "predictions" VALUES(15,5,'t5_typos','{"label":"contradictory"}',NULL,5.67161499998292129021e-03);
INSERT INTO "predictions" VALUES(15,6,'t6_typos','{"label":"contradictory"}',NULL,3.50518200002625235356e-03);
INSERT INTO "predictions" VALUES(15,7,'t7_typos','{"label":"contradictory"}',NULL,4.30529599998408230022e-03);
INSERT INTO "predictions" VALUES(15,8,'t8_typos','{"label":"contradictory"}',NULL,3.95051500004228728358e-03);
INSERT INTO "predictions" VALUES(15,9,'t9_typos','{"label":"entailed"}',NULL,5.80010699991362344008e-03);
INSERT INTO "predictions" VALUES(15,10,'t10_typos','{"label":"neutral"}',NULL,2.3484470000312285265e-03);
INSERT INTO "predictions" VALUES(15,11,'t11_typos','{"label":"contradictory"}',NULL,3.71413400011988414917e-03);
INSERT INTO "predictions" VALUES(15,12,'t12_typos','{"label":"contradictory"}',NULL,7.87362500000199361239e-03);
INSERT INTO "predictions" VALUES(15,13,'t13_typos','{"label":"neutral"}',NULL,0.00793902700002036);
INSERT INTO "predictions" VALUES(15,14,'t14_typos','{"label":"contradictory"}',NULL,2.14307299984284327365e-03);
INSERT INTO "predictions" VALUES(16,0,'t0','{"label":"neutral"}',NULL,9.57783220001147128642e-02);
INSERT INTO "predictions" VALUES(16,1,'t1','{"label":"neutral"}',NULL,2.37103000017668819055e-04);
INSERT INTO "predictions" VALUES(16,2,'t2','{"text":"{\"id\":\"t2\",\"label\":\"perhaps\"}","length":29}','Answer to t2: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',2.23150000010718940757e-03);
INSERT INTO "predictions" VALUES(16,3,'t3','{"label":"neutral"}',NULL,3.33005000129560357891e-04);
INSERT INTO "predictions" VALUES(16,4,'t4','{"label":"neutral"}',NULL,2.4460560000534314895e-03);
INSERT INTO "predictions" VALUES(16,5,'t5','{"label":"neutral"}',NULL,1.81431000009979470633e-03);
INSERT INTO "predictions" VALUES(16,6,'t6','{"label":"neutral"}',NULL,2.19922000042060972191e-04);
INSERT INTO "predictions" VALUES(16,7,'t7','{"label":"neutral"}',NULL,3.03294000104870065115e-04);
INSERT INTO "predictions" VALUES(16,8,'t8','{"label":"neutral"}',NULL,4.08176400014781393111e-03);
INSERT INTO "predictions" VALUES(16,9,'t9','{"label":"neutral"}',NULL,1.86593000080392812379e-04);
INSERT INTO "predictions" VALUES(16,10,'t10','{"label":"neutral"}',NULL,2.61071000068113789894e-04);
INSERT INTO "predictions" VALUES(16,11,'t11','{"label":"neutral"}',NULL,1.72596500010513409507e-03);
INSERT INTO "predictions" VALUES(16,12,'t12','{"label":"neutral"}',NULL,1.90187000043806619942e-04);
INSERT INTO "predictions" VALUES(16,13,'t13','{"label":"neutral"}',NULL,1.47799000160375726409e-04);
INSERT INTO "predictions" VALUES(16,14,'t14','{"label":"neutral"}',NULL,2.08673000088310800493e-04);
INSERT INTO "predictions" VALUES(17,0,'t0_f','{"label":"neutral"}',NULL,9.58807140000317303929e-02);
INSERT INTO "predictions" VALUES(17,1,'t1_f','{"label":"neutral"}',NULL,2.1252900000945373904e-04);
INSERT INTO "predictions" VALUES(17,2,'t2_f','{"text":"{\"id\":\"t2_f\",\"label\":\"perhaps\"}","length":31}','Answer to t2_f: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',2.50282699994386348408e-03);
INSERT INTO "predictions" VALUES(17,3,'t3_f','{"label":"neutral"}',NULL,2.58257000041339779273e-04);
INSERT INTO "predictions" VALUES(17,4,'t4_f','{"label":"neutral"}',NULL,2.85612999959994340315e-04);
INSERT INTO "predictions" VALUES(17,5,'t5_f','{"label":"neutral"}',NULL,1.84685199997147719841e-03);
INSERT INTO "predictions" VALUES(17,6,'t6_f','{"label":"neutral"}',NULL,1.84320000016668927856e-04);
INSERT INTO "predictions" VALUES(17,7,'t7_f','{"label":"neutral"}',NULL,0.000251873000024716);
INSERT INTO "predictions" VALUES(17,8,'t8_f','{"label":"neutral"}',NULL,1.66948900005081668496e-03);
INSERT INTO "predictions" VALUES(17,9,'t9_f','{"label":"neutral"}',NULL,1.80472000010922783986e-04);
INSERT INTO "predictions" VALUES(18,0,'t0_typos','{"label":"neutral"}',NULL,9.63048779999553516973e-02);
INSERT INTO "predictions" VALUES(18,1,'t1_typos','{"label":"neutral"}',NULL,3.38026999997964594513e-04);
INSERT INTO "predictions" VALUES(18,2,'t2_typos','{"text":"{\"id\":\"t2_typos\",\"label\":\"perhaps\"}","length":35}','Answer to t2_typos: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',2.47328000000379688572e-03);
INSERT INTO "predictions" VALUES(18,3,'t3_typos','{"label":"neutral"}',NULL,2.3329600003307859879e-04);
INSERT INTO "predictions" VALUES(18,4,'t4_typos','{"label":"neutral"}',NULL,1.98459900002490030602e-03);
INSERT INTO "predictions" VALUES(18,5,'t5_typos','{"label":"neutral"}',NULL,3.48324000015054480173e-04);
INSERT INTO "predictions" VALUES(18,6,'t6_typos','{"label":"neutral"}',NULL,2.23031999894374166615e-04);
INSERT INTO "predictions" VALUES(18,7,'t7_typos','{"label":"neutral"}',NULL,1.51926000171442865394e-04);
INSERT INTO "predictions" VALUES(18,8,'t8_typos','{"label":"neutral"}',NULL,1.4274499994826328475e-04);
INSERT INTO "predictions" VALUES(18,9,'t9_typos','{"label":"neutral"}',NULL,1.35787000090203946456e-04);
INSERT INTO "predictions" VALUES(18,10,'t10_typos','{"label":"neutral"}',NULL,1.29256000036548357457e-04);
INSERT INTO "predictions" VALUES(18,11,'t11_typos','{"label":"neutral"}',NULL,1.92656000081115053035e-04);
INSERT INTO "predictions" VALUES(18,12,'t12_typos','{"label":"neutral"}',NULL,1.55536999955074861646e-04);
INSERT INTO "predictions" VALUES(18,13,'t13_typos','{"label":"neutral"}',NULL,1.77353000026414520107e-04);
INSERT INTO "predictions" VALUES(18,14,'t14_typos','{"label":"neutral"}',NULL,3.32231400011551158968e-03);
INSERT INTO "predictions" VALUES(19,0,'t0','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,1,'t1','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,2,'t2','{"label":"contradictory"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,3,'t3','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,4,'t4','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,5,'t5','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,6,'t6','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,7,'t7','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,8,'t8','{"label":"contradictory"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,9,'t9','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,10,'t10','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,11,'t11','{"label":"contradictory"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,12,'t12','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,13,'t13','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(19,14,'t14','{"label":"contradictory"}',NULL,0.0);
INSERT INTO "predictions" VALUES(26,0,'q0','{"answer":"deep","conf":0.5}',NULL,0.0);
INSERT INTO "predictions" VALUES(26,1,'q1','{"answer":"deep and blue","conf":0.5}',NULL,0.0);
INSERT INTO "predictions" VALUES(26,2,'q2','{"answer":"wet","conf":0.5}',NULL,0.0);
INSERT INTO "predictions" VALUES(26,3,'q3','{"answer":"blue","conf":0.5}',NULL,0.0);
INSERT INTO "predictions" VALUES(26,4,'q4','{"answer":"deep and blue","conf":0.5}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,0,'t0','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,1,'t1','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,2,'t2','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,3,'t3','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,4,'t4','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,5,'t5','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,6,'t6','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,7,'t7','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,8,'t8','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,9,'t9','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,10,'t10','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,11,'t11','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,12,'t12','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,13,'t13','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(27,14,'t14','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,0,'t0','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,1,'t1','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,2,'t2','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,3,'t3','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,4,'t4','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,5,'t5','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,6,'t6','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,7,'t7','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,8,'t8','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,9,'t9','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,10,'t10','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,11,'t11','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,12,'t12','{"label":"entailed"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,13,'t13','{"label":"neutral"}',NULL,0.0);
INSERT INTO "predictions" VALUES(28,14,'t14','{"label":"entailed"}',NULL,0.0);
CREATE TABLE problems (
	id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	assignment_id INTEGER, 
	dialogue_id INTEGER, 
	text TEXT, 
	time FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	FOREIGN KEY(assignment_id) REFERENCES assignments (id), 
	FOREIGN KEY(dialogue_id) REFERENCES dialogues (id)
);
INSERT INTO "problems" VALUES(1,1,4,NULL,'The page froze for a while.',1.79483794245696353912e+09);
CREATE TABLE raters (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	participant_id INTEGER, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT rater_kind CHECK (kind IN ('person', 'model', 'simulated', 'anonymous')), 
	UNIQUE ("key"), 
	UNIQUE (participant_id), 
	FOREIGN KEY(participant_id) REFERENCES participants (id)
);
INSERT INTO "raters" VALUES(1,'p_HOtBPM362M4XYEamCRwI','person',1,1.79483794205118775368e+09);
INSERT INTO "raters" VALUES(2,'p_7_Yk5NCWMuuonesxiRz1','person',2,1.79483794226002764702e+09);
INSERT INTO "raters" VALUES(3,'p_eQ-6jrPqJwt1yRfikDDd','person',3,1.79483794231071543694e+09);
INSERT INTO "raters" VALUES(4,'p_ZMSSvpXXezgT5nDC_SRr','person',4,1.79483794244251775742e+09);
INSERT INTO "raters" VALUES(5,'p_JgfP_bh_3tg43PINZfa8','person',5,1.79483794250215554237e+09);
INSERT INTO "raters" VALUES(6,'p_ojvIFo0t9-M7wP6LmUyS','person',7,1.79483794268003225327e+09);
INSERT INTO "raters" VALUES(7,'p_f9M7qtKQT5fPlATVGdnE','person',8,1794837942.79985);
INSERT INTO "raters" VALUES(8,'p_paVvvw1ufiwaUb1FlGja','person',9,1.79483794287329506874e+09);
INSERT INTO "raters" VALUES(9,'p_rtD78G7zpHUfXa4jFCHa','person',10,1.79483794294600892067e+09);
INSERT INTO "raters" VALUES(10,'p_YeX2_H3z6nM6B1BFy_dT','person',14,1.79483794620747160912e+09);
INSERT INTO "raters" VALUES(11,'p_OawWkEPhHl5_ZhIhYYcB','person',15,1.79483794630971193314e+09);
INSERT INTO "raters" VALUES(12,'p_qeTtdPU0pk-dD9LDa93Z','person',16,1.79483794642398691177e+09);
INSERT INTO "raters" VALUES(13,'p_NsLjuACaZR652gjRb2t6','person',17,1.79483794647904610634e+09);
INSERT INTO "raters" VALUES(14,'p_LsgmCIDK3TDeThew8oOx','person',18,1.79483794654384326935e+09);
INSERT INTO "raters" VALUES(15,'p_yNnGBFcykjj1-UX4zlIh','person',19,1.79483794672012066841e+09);
INSERT INTO "raters" VALUES(16,'p_K1yLKx3SIt82D1h3Epll','person',20,1.79483794682399630547e+09);
INSERT INTO "raters" VALUES(17,'p_f29y8TTCKTvEOIGXhwdN','person',21,1.79483794699639511108e+09);
INSERT INTO "raters" VALUES(18,'p_N-_PMP1uXNnbbopKNiTj','simulated',22,1.79483817114148831367e+09);
INSERT INTO "raters" VALUES(19,'p_3S_waQLlN6gDmVnNJ2Qq','simulated',23,1.79483817117664980888e+09);
INSERT INTO "raters" VALUES(20,'p_L7jPm_me60BerqdK-fyP','simulated',24,1.79483817118325543404e+09);
INSERT INTO "raters" VALUES(21,'p_Fe1LPDgHCRNyXCs4MsJ2','simulated',25,1.79483817122243714333e+09);
INSERT INTO "raters" VALUES(22,'p_ONiuI97MLNwJbUbVDuGl','simulated',26,1.79483817123002147675e+09);
INSERT INTO "raters" VALUES(23,'p_u1OKHDyLkwRPpLiahKJy','simulated',27,1.79483817126332306862e+09);
INSERT INTO "raters" VALUES(24,'p_GbkpvbTa5XC_Z6MH8G-M','simulated',28,1.7948381712796933651e+09);
INSERT INTO "raters" VALUES(25,'p_fi4Jr7BqQrNrhsO7qwQd','simulated',29,1.79483817131174731255e+09);
INSERT INTO "raters" VALUES(26,'p_LnJvlgAfyRafmy90Rxs6','simulated',30,1794838171.31978);
INSERT INTO "raters" VALUES(27,'p_0qso_oVMgFwxuYFhjANm','simulated',31,1.79483817132921504974e+09);
INSERT INTO "raters" VALUES(28,'p_jtf6DxJzpd4sjhl7RbfO','simulated',32,1.79483817133942461014e+09);
INSERT INTO "raters" VALUES(29,'p_tuacTo9c0IEu36tcijon','simulated',33,1.79483817134391784668e+09);
INSERT INTO "raters" VALUES(30,'anon:dialogue:d_1ESjc7AzfgPuiEaJAq72:1','anonymous',NULL,1.79483817280611205101e+09);
INSERT INTO "raters" VALUES(31,'anon:dialogue:d_1ESjc7AzfgPuiEaJAq72:2','anonymous',NULL,1.79483817280611205101e+09);
INSERT INTO "raters" VALUES(32,'anon:dialogue:d_LBHzQIApXGqGmvwtbVc1:1','anonymous',NULL,1.79483817280611205101e+09);
INSERT INTO "raters" VALUES(33,'model:judge-7b','model',NULL,1.79483825967311763763e+09);
CREATE TABLE runs (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	model_version_id INTEGER NOT NULL, 
	dataset_version_id INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	reason TEXT DEFAULT '' NOT NULL, 
	items INTEGER NOT NULL, 
	answered INTEGER DEFAULT '0' NOT NULL, 
	refused INTEGER DEFAULT '0' NOT NULL, 
	start_seconds FLOAT DEFAULT '0' NOT NULL, 
	busy_seconds FLOAT DEFAULT '0' NOT NULL, 
	memory TEXT DEFAULT '[]' NOT NULL, 
	created FLOAT NOT NULL, 
	started FLOAT, 
	finished FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (model_version_id, dataset_version_id), 
	CONSTRAINT run_state CHECK (state IN ('waiting', 'answering', 'scoring', 'done', 'failed', 'cancelled')), 
	UNIQUE ("key"), 
	FOREIGN KEY(model_version_id) REFERENCES model_versions (id), 
	FOREIGN KEY(dataset_version_id) REFERENCES dataset_versions (id)
);
INSERT INTO "runs" VALUES(1,'r_LHmBUahll7YAzK6ksvO0',1,3,'done','',15,15,0,1.81115899999895191286e-03,1.41554119998090754962e-02,'[]',1.79483818511656570435e+09,1.79483818524333381653e+09,1.7948381856980278492e+09);
INSERT INTO "runs" VALUES(2,'r_5A_sOgRQKQEIqS7L4G3U',1,5,'done','',10,10,0,1.93700099998750374652e-03,4.74821070001780753955e-02,'[]',1.79483818511656570435e+09,1.79483818528910064697e+09,1.79483818567924880981e+09);
INSERT INTO "runs" VALUES(3,'r_V809TAVURW0NppgJlqoX',1,6,'done','',15,15,0,2.78138299995589477476e-03,1.45736689996738277841e-02,'[]',1.79483818511656570435e+09,1.79483818540556192398e+09,1.79483818572628474236e+09);
INSERT INTO "runs" VALUES(4,'r_BjjMO7JLpwK9ECuWvwJM',2,3,'done','',15,15,0,0.00287829400008377,1.49268679999750020215e-02,'[]',1.79483818734689354897e+09,1.79483818748089337349e+09,1.79483818793751168251e+09);
INSERT INTO "runs" VALUES(5,'r_nQsxEFUX02F_gFHIUSVf',2,5,'done','',10,10,0,1.88883699979669472668e-03,6.80302260002463299315e-02,'[]',1.79483818734689354897e+09,1.79483818753446269035e+09,1.79483818791987228394e+09);
INSERT INTO "runs" VALUES(6,'r_1y7meu_wend7gcc3jwjv',2,6,'done','',15,15,0,1.32800799997312424239e-03,4.19727690000399888959e-02,'[]',1.79483818734689354897e+09,1.79483818765897464752e+09,1.79483818799584078789e+09);
INSERT INTO "runs" VALUES(7,'r_RQeWnqpJzM64dcDNSGmQ',3,3,'failed','Question ''t0'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',15,0,0,1.03114700004880432971e-03,0.0,'[]',1.79483819107707452774e+09,1.7948381911984937191e+09,1.79483822160470795631e+09);
INSERT INTO "runs" VALUES(8,'r_Zi1UhqA5Ny_uVGDyqJ2D',3,5,'failed','Question ''t0_f'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',10,0,0,1.08114099998601886909e-03,0.0,'[]',1.79483819107707452774e+09,1.79483819122814154625e+09,1.79483822162203383446e+09);
INSERT INTO "runs" VALUES(9,'r_p4XFD3FE5ASxGCzYDv2y',3,6,'failed','Question ''t0_typos'': ''handler:Handler'' raised ValueError: no weights (handler.py, line 3)',15,0,0,1.04830300006142351776e-03,0.0,'[]',1.79483819107707452774e+09,1.79483819124672532082e+09,1.79483822163811540604e+09);
INSERT INTO "runs" VALUES(10,'r_uv2CKCVW4G9Ry_3vxTpb',4,3,'done','',15,15,0,0.00407857300001524,4.59360839993223635247e-02,'[]',1.79483822462672972679e+09,1.79483822479522895813e+09,1.79483822539136886597e+09);
INSERT INTO "runs" VALUES(11,'r_hMJUuT4r74mC2PbfQwI1',4,5,'done','',10,10,0,1.07035100018038065173e-03,5.54782920005436608335e-02,'[]',1.79483822462672972679e+09,1.79483822490782094002e+09,1.79483822536947345734e+09);
INSERT INTO "runs" VALUES(12,'r_jU3idsgHZA72eNB-oIP1',4,6,'done','',15,15,0,6.99396900017745792866e-03,6.93340949997036659624e-02,'[]',1.79483822462672972679e+09,1.79483822507759284973e+09,1.79483822542987155914e+09);
INSERT INTO "runs" VALUES(13,'r_1pczY_wmQz-k1J8c5wHz',5,3,'done','',15,15,0,1.76001600016206793953e-03,1.35935600003449508222e-02,'[]',1.79483822999914264679e+09,1.794838230115888834e+09,1.79483823055314230919e+09);
INSERT INTO "runs" VALUES(14,'r_c7awIHHivS6bs6yIoclo',5,5,'done','',10,10,0,3.73811700001169811003e-03,5.41204260000540671172e-02,'[]',1.79483822999914264679e+09,1.79483823016068077087e+09,1.79483823053764843941e+09);
INSERT INTO "runs" VALUES(15,'r_MIjHdyR5_jAaycZqs75h',5,6,'done','',15,15,0,2.98753600009149522521e-03,5.64908980002201133175e-02,'[]',1.79483822999914264679e+09,1.79483823029885554314e+09,1.7948382305904006958e+09);
INSERT INTO "runs" VALUES(16,'r_UWX95KxZHRZlayNbJkGB',6,3,'failed','1 of 15 answers was refused; first: Answer to t2: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',15,14,1,0.00801284899989696,1.10586068999737108243e-01,'[0.00299072265625,0.0122528076171875]',1.79483823215991520882e+09,1.79483823227401161194e+09,1.79483823242774558067e+09);
INSERT INTO "runs" VALUES(17,'r_REDHiwDKDgvxJE_uN4il',6,5,'failed','1 of 10 answers was refused; first: Answer to t2_f: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',10,9,1,7.87718500009759736713e-03,1.03527762000339862425e-01,'[0.0027008056640625,0.0122528076171875]',1.79483823215991520882e+09,1.79483823244255280495e+09,1.7948382325803539753e+09);
INSERT INTO "runs" VALUES(18,'r_p1NFj25US1aGTJs1yuSy',6,6,'failed','1 of 15 answers was refused; first: Answer to t2_typos: ''label'': expected one of entailed, neutral, contradictory; got ''perhaps''.',15,14,1,0.00786217899985786,1.06622579000486439327e-01,'[0.002696990966796875,0.012248992919921875]',1.79483823215991520882e+09,1.7948382325907227993e+09,1.7948382327300555706e+09);
INSERT INTO "runs" VALUES(19,'r_W6CpZWn3IdlZi67vcmzI',7,3,'done','',15,15,0,4.23097000066263717599e-04,3.48149999354063766077e-05,'[]',1.79483823420145368576e+09,1.79483823430858850479e+09,1.79483823460580539703e+09);
INSERT INTO "runs" VALUES(20,'r_eWk5EewE81B9jB59n6Bl',8,3,'cancelled','Cancelled after 0 answers of 15.',15,0,0,0.0,0.0,'[]',1.79483823756116747856e+09,NULL,1.79483823923181891441e+09);
INSERT INTO "runs" VALUES(21,'r_ojUAqKwLzW4sO09i_yRY',8,5,'cancelled','Cancelled after 0 answers of 10.',10,0,0,0.0,0.0,'[]',1.79483823756116747856e+09,NULL,1.79483823997270417213e+09);
INSERT INTO "runs" VALUES(22,'r_v05Alg8EYtbPvNX1Bq1Y',8,6,'cancelled','Cancelled after 0 answers of 15.',15,0,0,0.0,0.0,'[]',1.79483823756116747856e+09,NULL,1.79483824073946619034e+09);
INSERT INTO "runs" VALUES(23,'r_zg9gVh5rvKI6mUgV4GsV',9,3,'waiting','',15,0,0,0.0,0.0,'[]',1.79483824377282071114e+09,NULL,NULL);
INSERT INTO "runs" VALUES(24,'r_0Fe9eKBAsnPR2Y-AG-IU',9,5,'waiting','',10,0,0,0.0,0.0,'[]',1.79483824377282071114e+09,NULL,NULL);
INSERT INTO "runs" VALUES(25,'r_c8mLZvd_1vw65t0QlhDe',9,6,'waiting','',15,0,0,0.0,0.0,'[]',1.79483824377282071114e+09,NULL,NULL);
INSERT INTO "runs" VALUES(26,'r_wiBrtcljUebbByJ4MyAy',10,7,'done','',5,5,0,3.73448000118514755741e-04,2.00210001821687910706e-05,'[]',1.79483824751570439339e+09,1.79483824762396621704e+09,1.7948382479106631279e+09);
INSERT INTO "runs" VALUES(27,'r_mbXME9w7bMLTjMqOkDVG',11,3,'done','',15,15,0,0.000381842000024335,3.63740000466350466013e-05,'[]',1.79483825986597847939e+09,1.79483825995209670067e+09,1.79483826025507903099e+09);
INSERT INTO "runs" VALUES(28,'r_LzzNskE7tFpucX6yXJFP',12,3,'done','',15,15,0,4.64516999954867060296e-04,3.27299999298702459782e-05,'[]',1.79483826396085119247e+09,1.79483826428225469589e+09,1.79483826432751917839e+09);
CREATE TABLE saved_boards (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	task_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	about TEXT DEFAULT '' NOT NULL, 
	weights TEXT NOT NULL, 
	content TEXT, 
	created_by TEXT DEFAULT '' NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (task_id, name), 
	CONSTRAINT saved_board_kind CHECK (kind IN ('fork', 'snapshot')), 
	UNIQUE ("key"), 
	FOREIGN KEY(task_id) REFERENCES tasks (id)
);
INSERT INTO "saved_boards" VALUES(1,'b_tTEVckaeaEoDpZwVQdE1',1,'Ours','fork','','{"metrics":{"accuracy":3.0,"throughput":1.0,"fairness":1.0,"robustness":1.0},"datasets":{"test":2.0}}',NULL,'',1.79483825062480068207e+09);
INSERT INTO "saved_boards" VALUES(2,'b_yY6HA9tjRsH93ZmxRsSf',1,'Spring','snapshot','','{"metrics":{"accuracy":4.0,"throughput":1.0,"fairness":1.0,"robustness":1.0},"datasets":{"test":5.0}}','{"task":"nli","title":"Natural language inference","answer":"No model leads; rules and hidden cannot be told apart","metrics":[{"key":"accuracy","title":"Accuracy","unit":"%","direction":1,"offset":0.0,"weight":4.0,"share":0.6666666666666666,"amrs":1.0,"amrs_interval":null},{"key":"throughput","title":"Throughput","unit":"examples/s","direction":1,"offset":0.0,"weight":1.0,"share":0.16666666666666666,"amrs":7.3923259242613595,"amrs_interval":null},{"key":"fairness","title":"Fairness","unit":"%","direction":1,"offset":0.0,"weight":1.0,"share":0.0,"amrs":0.0,"amrs_interval":null,"set_aside":"it hardly changes between models that differ in Accuracy"},{"key":"robustness","title":"Robustness","unit":"%","direction":1,"offset":0.0,"weight":1.0,"share":0.16666666666666666,"amrs":0.49999999999999944,"amrs_interval":null}],"datasets":[{"id":2,"name":"test","version":2,"items":15,"weight":5.0,"share":1.0}],"models":[{"rank":1,"rank_interval":[1,2],"id":1,"key":"m_GyIbJxwEwgADkxOf0MJk","name":"rules","team":null,"published":true,"tags":["tiny","rules"],"link":"https://example.org/rules","scores":{"test":{"accuracy":{"value":100.0,"interval":[100.0,100.0],"variance":0.0,"n":15},"throughput":{"value":1004.8993533020536,"interval":[557.9416338664145,2943.8305549371107],"variance":385897.1196763647,"n":15},"fairness":{"value":100.0,"interval":[100.0,100.0],"variance":0.0,"n":10},"robustness":{"value":66.66666666666667,"interval":[40.0,93.33333587646484],"variance":201.0158689399475,"n":15}}},"dynascore":{"value":111.54525269999577,"interval":[99.23718273827075,155.48988564963736],"variance":171.71991583326331},"averages":{"accuracy":{"value":100.0,"interval":[100.0,100.0],"variance":0.0},"throughput":{"value":1004.8993533020536,"interval":[557.9416338664145,2943.8305549371107],"variance":385897.1196763647},"fairness":{"value":100.0,"interval":[100.0,100.0],"variance":0.0},"robustness":{"value":66.66666666666667,"interval":[40.0,93.33333587646484],"variance":201.0158689399475}}},{"rank":2,"rank_interval":[1,2],"id":4,"key":"m_lB7f7L-7gsC_shJ_8sLB","name":"hidden","team":null,"published":true,"tags":[],"link":"","scores":{"test":{"accuracy":{"value":86.66666666666667,"interval":[73.33333587646484,100.0],"variance":75.1746032853284,"n":15},"throughput":{"value":1103.4636989588716,"interval":[687.5020785918016,2223.7026793455516],"variance":154537.02758135812,"n":15},"fairness":{"value":100.0,"interval":[100.0,100.0],"variance":0.0,"n":10},"robustness":{"value":73.33333333333333,"interval":[44.31434404432076,95.68565842436625],"variance":152.09066671428295,"n":15}}},"dynascore":{"value":107.10080825555134,"interval":[90.58147873815189,138.9116530598589],"variance":159.83643281032874},"averages":{"accuracy":{"value":86.66666666666667,"interval":[73.33333587646484,100.0],"variance":75.1746032853284},"throughput":{"value":1103.4636989588716,"interval":[687.5020785918016,2223.7026793455516],"variance":154537.02758135812},"fairness":{"value":100.0,"interval":[100.0,100.0],"variance":0.0},"robustness":{"value":73.33333333333333,"interval":[44.31434404432076,95.68565842436625],"variance":152.09066671428295}}}],"not_ranked":[{"id":2,"key":"m_RV3J_go2FWOGgLHVyLwx","name":"unpublished model 2","team":null,"published":false,"tags":[],"link":"","scores":{"test":{"accuracy":{"value":null,"interval":null,"variance":null},"throughput":{"value":null,"interval":null,"variance":null},"fairness":{"value":null,"interval":null,"variance":null},"robustness":{"value":null,"interval":null,"variance":null}}},"reasons":["test failed"]},{"id":5,"key":"m_8ffRbrnJUyJz1OA6v8-g","name":"unpublished model 5","team":null,"published":false,"tags":[],"link":"","scores":{"test":{"accuracy":{"value":null,"interval":null,"variance":null},"throughput":{"value":null,"interval":null,"variance":null},"fairness":{"value":null,"interval":null,"variance":null},"robustness":{"value":null,"interval":null,"variance":null}}},"reasons":["test failed"]},{"id":6,"key":"m_zt5LGssSZX0A-1BBKXkh","name":"unpublished model 6","team":null,"published":false,"tags":[],"link":"","scores":{"test":{"accuracy":{"value":86.66666666666667,"interval":[60.000003814697266,100.0],"variance":97.6689288980607,"n":15},"throughput":{"value":null,"interval":null,"variance":null,"reason":"the predictions were uploaded: nobody was asked"},"fairness":{"value":null,"interval":null,"variance":null},"robustness":{"value":null,"interval":null,"variance":null}}},"reasons":["no throughput on test (the predictions were uploaded: nobody was asked)","no fairness on test","no robustness on test"]},{"id":7,"key":"m_w7NHNK2Vxjhk8Ho0tn5S","name":"unpublished model 7","team":null,"published":false,"tags":[],"link":"","scores":{"test":{"accuracy":{"value":null,"interval":null,"variance":null},"throughput":{"value":null,"interval":null,"variance":null},"fairness":{"value":null,"interval":null,"variance":null},"robustness":{"value":null,"interval":null,"variance":null}}},"reasons":["test was cancelled"]},{"id":8,"key":"m_T-0j05GeIRFl0I8Go_1Q","name":"unpublished model 8","team":null,"published":false,"tags":[],"link":"","scores":{"test":{"accuracy":{"value":null,"interval":null,"variance":null},"throughput":{"value":null,"interval":null,"variance":null},"fairness":{"value":null,"interval":null,"variance":null},"robustness":{"value":null,"interval":null,"variance":null}}},"reasons":["test is still being evaluated"]}],"tied_sets":[["rules","hidden"]],"pairs":1,"draws":50,"seed":0,"confidence":0.95,"method":"Dynascore (Ma et al. 2021); 95 % percentile bootstrap of items, 50 samples, the same items for all models; scores at the rates above, ranks with the rates read anew in each sample, and simultaneous","warnings":["No model has Memory here: not on this board.","Fairness is set aside, because it hardly changes between models that differ in Accuracy; the others share its weight."],"sort":{"field":"dynascore","direction":"desc"},"frozen":1794838251.7762396}','',1.79483825177623963356e+09);
CREATE TABLE scores (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	metric TEXT NOT NULL, 
	version TEXT NOT NULL, 
	variant_id INTEGER DEFAULT '0' NOT NULL, 
	value FLOAT, 
	low FLOAT, 
	high FLOAT, 
	n INTEGER NOT NULL, 
	reason TEXT DEFAULT '' NOT NULL, 
	parts TEXT DEFAULT '{}' NOT NULL, 
	rows BLOB, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (run_id, metric, version, variant_id), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
);
INSERT INTO "scores" VALUES(1,2,'accuracy','1-00451db6',0,0.7,3.9677814746114536959e-01,8.92208732593698927715e-01,10,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.8,"low":0.3755346297625255,"high":0.9637758913675698,"n":5},{"tag":"odd","value":0.6,"low":0.23072428127601297,"high":0.8823792257673521,"n":5}],"mean_of_tags":{"value":0.7,"tags":2},"legacy":{"perf":70.0,"pretty_perf":"70.0 %"}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531225D7D0A789C63646064842004000000B60012',1.79483818540787863731e+09);
INSERT INTO "scores" VALUES(2,2,'macro_f1','1-abdc05fe',0,5.55555555555555469205e-01,3.3333333333333331483e-01,1.0,10,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.5,"recall":1.0,"f1":0.6666666666666666,"support":3,"predicted":6},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":4,"predicted":4},{"label":"neutral","precision":null,"recall":0.0,"f1":0.0,"support":3,"predicted":0,"reason":"never predicted, so there is no precision"}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[3,0,0],[0,4,0],[3,0,0]]},"legacy":{"perf":55.56,"pretty_perf":"55.56 %"}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060648020180D4208804516A18A911186B0E805000525001C',1.79483818540787863731e+09);
INSERT INTO "scores" VALUES(3,2,'throughput','1',0,2.10605649828523752376e+02,1.18237035030470011066e+02,6.32897777766119588705e+02,10,'','{"form":"throughput","latency":{"mean":0.004721362899977067,"p50":0.0038948839999193297,"p95":0.011093550999999022},"busy_seconds":0.047482107000178075,"start_seconds":0.0019370009999875037,"legacy":{"examples_per_second":210.61}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C223C6634225D7D0A789C6364848169B376584ED939DD4A524ADA262E4FCD9A4FD4C6EAD37D191BB1396F2DEBB2365BE7FFF3B6D956BBD61A0045831080',1.79483818540787863731e+09);
INSERT INTO "scores" VALUES(4,2,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483818540787863731e+09);
INSERT INTO "scores" VALUES(5,1,'accuracy','1-00451db6',0,6.66666666666666629659e-01,4.17135477385197739331e-01,8.48236755602852610103e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.75,"low":0.409275430310169,"high":0.928520787247891,"n":8},{"tag":"odd","value":0.5714285714285714,"low":0.25045836452765724,"high":0.8417801447485302,"n":7}],"mean_of_tags":{"value":0.6607142857142857,"tags":2},"legacy":{"perf":66.67,"pretty_perf":"66.67 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C636460644446A80000017C001A',1.79483818529470157623e+09);
INSERT INTO "scores" VALUES(6,1,'macro_f1','1-abdc05fe',0,5.55555555555555469205e-01,4.17744255298248379216e-01,6.36363636363636353543e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.5,"recall":1.0,"f1":0.6666666666666666,"support":5,"predicted":10},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":5,"predicted":5},{"label":"neutral","precision":null,"recall":0.0,"f1":0.0,"support":5,"predicted":0,"reason":"never predicted, so there is no precision"}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[0,5,0],[5,0,0]]},"legacy":{"perf":55.56,"pretty_perf":"55.56 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060644042281C064C80573123863C12C26F32000B270029',1.79483818529470157623e+09);
INSERT INTO "scores" VALUES(7,1,'throughput','1',0,1.05966537746851258817e+03,6.51819386331818918734e+02,2.02690508683191069395e+03,15,'','{"form":"throughput","latency":{"mean":0.0009207641999940582,"p50":0.00041363699983776314,"p95":0.002675733199907881},"busy_seconds":0.014155411999809075,"start_seconds":0.001811158999998952,"legacy":{"examples_per_second":1059.67}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C63644401BF9CEF59FE6B3A61F96882BF75EAD20D9669F359AC237456597E0B9F6C39E794BAF502B7D9965EB3975931EC5E6869F1A7D152EA598F15CFCBA796878A5BAD0078C01C2F',1.79483818529470157623e+09);
INSERT INTO "scores" VALUES(8,1,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483818529470157623e+09);
INSERT INTO "scores" VALUES(11,1,'fairness','1-00451db6',5,1.0,7.22467200137110854286e-01,1.0,10,'','{"form":"mean","originals":10,"originals_without_variants":5,"variants":10,"variants_without_original":0,"legacy":{"fairness":100.0}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6364840106106044E5020001860015',1.79483818529470157623e+09);
INSERT INTO "scores" VALUES(13,1,'robustness','1-00451db6',6,7.33333333333333281523e-01,4.80495659440194344825e-01,8.91025466743076144382e-01,15,'','{"form":"mean","originals":15,"originals_without_variants":0,"variants":15,"variants_without_original":0,"legacy":{"robustness":73.33}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6360646400234618890C00018C001B',1.79483818529470157623e+09);
INSERT INTO "scores" VALUES(14,3,'accuracy','1-00451db6',0,0.4,1.98244961413415854423e-01,6.42531698793753935917e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.375,"low":0.13684428582359742,"high":0.6942576053973726,"n":8},{"tag":"odd","value":0.42857142857142855,"low":0.1582198552514697,"high":0.7495416354723428,"n":7}],"mean_of_tags":{"value":0.4017857142857143,"tags":2},"legacy":{"perf":40.0,"pretty_perf":"40.0 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6360606400234608890A0001190016',1.79483818569148921967e+09);
INSERT INTO "scores" VALUES(15,3,'macro_f1','1-abdc05fe',0,2.8654970760233916538e-01,1.11111111111111104943e-01,4.95614035087719340122e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.35714285714285715,"recall":1.0,"f1":0.5263157894736842,"support":5,"predicted":14},{"label":"entailed","precision":1.0,"recall":0.2,"f1":0.3333333333333333,"support":5,"predicted":1},{"label":"neutral","precision":null,"recall":0.0,"f1":0.0,"support":5,"predicted":0,"reason":"never predicted, so there is no precision"}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[4,1,0],[5,0,0]]},"legacy":{"perf":28.65,"pretty_perf":"28.65 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060644041508060A10014C5E83A51F98C300061E137190009980025',1.79483818569148921967e+09);
INSERT INTO "scores" VALUES(16,3,'throughput','1',0,1.02925351195609800925e+03,7.14475792991538128263e+02,1.57694495703542929732e+03,15,'','{"form":"throughput","latency":{"mean":0.0009534288000092298,"p50":0.0009486439998909191,"p95":0.0024605794999843053},"busy_seconds":0.014573668999673828,"start_seconds":0.0027813829999558948,"legacy":{"examples_per_second":1029.25}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C636444018BFFF758F52D10B7CA582063E5FB668295F7BF495609BF5AAD96C4CDB414F76CB78A4F7E6B792259C4CA3DABD6EAA4C5414B6D5965EB99EAEAD60CD7775A0200323318D0',1.79483818569148921967e+09);
INSERT INTO "scores" VALUES(17,3,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483818569148921967e+09);
INSERT INTO "scores" VALUES(21,1,'fairness-accuracy','1-00451db6',5,0.7,3.9677814746114536959e-01,8.92208732593698927715e-01,10,'','{"legacy":{"perf":70.0,"pretty_perf":"70.0 %"}}',NULL,1.79483818575790596008e+09);
INSERT INTO "scores" VALUES(22,1,'robustness-accuracy','1-00451db6',6,0.4,1.98244961413415854423e-01,6.42531698793753935917e-01,15,'','{"legacy":{"perf":40.0,"pretty_perf":"40.0 %"}}',NULL,1.79483818575790596008e+09);
INSERT INTO "scores" VALUES(23,5,'accuracy','1-00451db6',0,1.0,7.22467200137110854286e-01,1.0,10,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":1.0,"low":0.5655175352168254,"high":1.0,"n":5},{"tag":"odd","value":1.0,"low":0.5655175352168254,"high":1.0,"n":5}],"mean_of_tags":{"value":1.0,"tags":2},"legacy":{"perf":100.0,"pretty_perf":"100.0 %"}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531225D7D0A789C6364C4040000E60015',1.79483818767736935616e+09);
INSERT INTO "scores" VALUES(24,5,'macro_f1','1-abdc05fe',0,1.0,NULL,NULL,10,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":1.0,"recall":1.0,"f1":1.0,"support":3,"predicted":3},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":4,"predicted":4},{"label":"neutral","precision":1.0,"recall":1.0,"f1":1.0,"support":3,"predicted":3}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[3,0,0],[0,4,0],[0,0,3]]},"legacy":{"perf":100.0,"pretty_perf":"100.0 %"},"no_interval":"the samples have no spread to make an interval of"}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060648020188DCCC42244B42C0005AF001F',1.79483818767736935616e+09);
INSERT INTO "scores" VALUES(25,5,'throughput','1',0,1.46993484924830198679e+02,9.53787336208074663091e+01,2.66496720852704640947e+02,10,'','{"form":"throughput","latency":{"mean":0.0067766981999739075,"p50":0.006777501499868777,"p95":0.01336547589999099},"busy_seconds":0.06803022600024633,"start_seconds":0.0018888369997966947,"legacy":{"examples_per_second":146.99}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C223C6634225D7D0A789C63648481DD3CBC3621A7265ABEEE5D6FBD5346CADA35FEADF59F9FED366F27FCB0E66ABB602DA32063237FACCD1A0072B21198',1.79483818767736935616e+09);
INSERT INTO "scores" VALUES(26,5,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483818767736935616e+09);
INSERT INTO "scores" VALUES(27,4,'accuracy','1-00451db6',0,1.0,7.96116698964151381368e-01,1.0,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":1.0,"low":0.6755924351161198,"high":1.0,"n":8},{"tag":"odd","value":1.0,"low":0.6456695649333126,"high":1.0,"n":7}],"mean_of_tags":{"value":1.0,"tags":2},"legacy":{"perf":100.0,"pretty_perf":"100.0 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6364C4070001EF001F',1.79483818754014110565e+09);
INSERT INTO "scores" VALUES(28,4,'macro_f1','1-abdc05fe',0,1.0,NULL,NULL,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":1.0,"recall":1.0,"f1":1.0,"support":5,"predicted":5},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":5,"predicted":5},{"label":"neutral","precision":1.0,"recall":1.0,"f1":1.0,"support":5,"predicted":5}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[0,5,0],[0,0,5]]},"legacy":{"perf":100.0,"pretty_perf":"100.0 %"},"no_interval":"the samples have no spread to make an interval of"}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060644042281C06540E069F8A8A010C7B002E',1.79483818754014110565e+09);
INSERT INTO "scores" VALUES(29,4,'throughput','1',0,1.00489935330205355513e+03,5.38521912917051395198e+02,2.75597581247245761915e+03,15,'','{"form":"throughput","latency":{"mean":0.0009749365333391324,"p50":0.00032173099998544785,"p95":0.0032882476999702686},"busy_seconds":0.014926867999975002,"start_seconds":0.00287829400008377,"legacy":{"examples_per_second":1004.9}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C63644401AFEE9DB66CDAB6C5329761A2B585CF32CB0BBFB5AD7474D6587A74F558B29C33B59EEBB0D0D2356DAED5ACCB8D965356D55B8A731758467EB4B53EF860B6250037A91A3B',1.79483818754014110565e+09);
INSERT INTO "scores" VALUES(30,4,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483818754014110565e+09);
INSERT INTO "scores" VALUES(33,4,'fairness','1-00451db6',5,1.0,7.22467200137110854286e-01,1.0,10,'','{"form":"mean","originals":10,"originals_without_variants":5,"variants":10,"variants_without_original":0,"legacy":{"fairness":100.0}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6364840106106044E5020001860015',1.79483818754014110565e+09);
INSERT INTO "scores" VALUES(35,4,'robustness','1-00451db6',6,6.66666666666666629659e-01,4.17135477385197739331e-01,8.48236755602852610103e-01,15,'','{"form":"mean","originals":15,"originals_without_variants":0,"variants":15,"variants_without_original":0,"legacy":{"robustness":66.67}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C636060646004214618890C00016F001A',1.79483818754014110565e+09);
INSERT INTO "scores" VALUES(36,6,'accuracy','1-00451db6',0,6.66666666666666629659e-01,4.17135477385197739331e-01,8.48236755602852610103e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.625,"low":0.3057423946026274,"high":0.8631557141764026,"n":8},{"tag":"odd","value":0.7142857142857143,"low":0.3589344518326194,"high":0.9177810759959433,"n":7}],"mean_of_tags":{"value":0.6696428571428572,"tags":2},"legacy":{"perf":66.67,"pretty_perf":"66.67 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C636060646004214618890C00016F001A',1.79483818793824839592e+09);
INSERT INTO "scores" VALUES(37,6,'macro_f1','1-abdc05fe',0,6.29629629629629650189e-01,3.55555555555555569125e-01,9.10447979645522376124e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.5,"recall":1.0,"f1":0.6666666666666666,"support":5,"predicted":10},{"label":"entailed","precision":1.0,"recall":0.2,"f1":0.3333333333333333,"support":5,"predicted":1},{"label":"neutral","precision":1.0,"recall":0.8,"f1":0.8888888888888888,"support":5,"predicted":4}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[4,1,0],[1,0,4]]},"legacy":{"perf":62.96,"pretty_perf":"62.96 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C6360606440415080C24248A22846D789CA670402901A884A022603000AA20029',1.79483818793824839592e+09);
INSERT INTO "scores" VALUES(38,6,'throughput','1',0,3.57374563493433242911e+02,2.17970950806344433204e+02,8.0607316321290011274e+02,15,'','{"form":"throughput","latency":{"mean":0.0027776545333684528,"p50":0.0009200899999086687,"p95":0.008348699400085023},"busy_seconds":0.04197276900003999,"start_seconds":0.0013280079999731242,"legacy":{"examples_per_second":357.37}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C63644401937E15596D79236FF5B233D4BAE4F851CBED168236869F17595F94D968CDD8DC64D99EDD68692D146219B3CCCBF2C65A4F4BF9B96C36D5F62DD68D895DD6003DFE1901',1.79483818793824839592e+09);
INSERT INTO "scores" VALUES(39,6,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483818793824839592e+09);
INSERT INTO "scores" VALUES(42,4,'fairness-accuracy','1-00451db6',5,1.0,7.22467200137110854286e-01,1.0,10,'','{"legacy":{"perf":100.0,"pretty_perf":"100.0 %"}}',NULL,1.79483818800523376465e+09);
INSERT INTO "scores" VALUES(43,4,'robustness-accuracy','1-00451db6',6,6.66666666666666629659e-01,4.17135477385197739331e-01,8.48236755602852610103e-01,15,'','{"legacy":{"perf":66.67,"pretty_perf":"66.67 %"}}',NULL,1.79483818800523376465e+09);
INSERT INTO "scores" VALUES(44,10,'accuracy','1-00451db6',0,6.66666666666666629659e-01,4.17135477385197739331e-01,8.48236755602852610103e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.75,"low":0.409275430310169,"high":0.928520787247891,"n":8},{"tag":"odd","value":0.5714285714285714,"low":0.25045836452765724,"high":0.8417801447485302,"n":7}],"mean_of_tags":{"value":0.6607142857142857,"tags":2},"legacy":{"perf":66.67,"pretty_perf":"66.67 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C636460644446A80000017C001A',1.79483822490665864944e+09);
INSERT INTO "scores" VALUES(45,10,'macro_f1','1-abdc05fe',0,5.55555555555555469205e-01,4.17744255298248379216e-01,6.36363636363636353543e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.5,"recall":1.0,"f1":0.6666666666666666,"support":5,"predicted":10},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":5,"predicted":5},{"label":"neutral","precision":null,"recall":0.0,"f1":0.0,"support":5,"predicted":0,"reason":"never predicted, so there is no precision"}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[0,5,0],[5,0,0]]},"legacy":{"perf":55.56,"pretty_perf":"55.56 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060644042281C064C80573123863C12C26F32000B270029',1.79483822490665864944e+09);
INSERT INTO "scores" VALUES(46,10,'throughput','1',0,3.26540677699502623454e+02,2.32750268258176248537e+02,4.7087151583990976178e+02,15,'','{"form":"throughput","latency":{"mean":0.003038993333378433,"p50":0.0021401920000698738,"p95":0.00642699940008242},"busy_seconds":0.045936083999322364,"start_seconds":0.00407857300001524,"legacy":{"examples_per_second":326.54}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C6364440131FCEBADA62F5E64B551E6BFB5F8D503569C611BACFD85275BAD1461B30E8DF964E554D0642D7FB9C2DA7927AB75C0F583D65EDBB3ACC5C279AD0F840B590300DE2916ED',1.79483822490665864944e+09);
INSERT INTO "scores" VALUES(47,10,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483822490665864944e+09);
INSERT INTO "scores" VALUES(48,11,'accuracy','1-00451db6',0,0.7,3.9677814746114536959e-01,8.92208732593698927715e-01,10,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.8,"low":0.3755346297625255,"high":0.9637758913675698,"n":5},{"tag":"odd","value":0.6,"low":0.23072428127601297,"high":0.8823792257673521,"n":5}],"mean_of_tags":{"value":0.7,"tags":2},"legacy":{"perf":70.0,"pretty_perf":"70.0 %"}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531225D7D0A789C63646064842004000000B60012',1.79483822507648634911e+09);
INSERT INTO "scores" VALUES(49,11,'macro_f1','1-abdc05fe',0,5.55555555555555469205e-01,3.3333333333333331483e-01,1.0,10,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.5,"recall":1.0,"f1":0.6666666666666666,"support":3,"predicted":6},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":4,"predicted":4},{"label":"neutral","precision":null,"recall":0.0,"f1":0.0,"support":3,"predicted":0,"reason":"never predicted, so there is no precision"}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[3,0,0],[0,4,0],[3,0,0]]},"legacy":{"perf":55.56,"pretty_perf":"55.56 %"}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060648020180D4208804516A18A911186B0E805000525001C',1.79483822507648634911e+09);
INSERT INTO "scores" VALUES(50,11,'throughput','1',0,1.80250682553493248861e+02,8.32445573334013459998e+01,9.00058861609972836959e+02,10,'','{"form":"throughput","latency":{"mean":0.005528312600017671,"p50":0.0027659285000254386,"p95":0.01887257300003283},"busy_seconds":0.05547829200054366,"start_seconds":0.0010703510001803807,"legacy":{"examples_per_second":180.25}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C223C6634225D7D0A789C63648401CDC0281B33E70996422B1B2C7967325B6FE10BB772D578617DAB6682F5ABF452CB03E619D6B5C70FD800001BA20F92',1.79483822507648634911e+09);
INSERT INTO "scores" VALUES(51,11,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483822507648634911e+09);
INSERT INTO "scores" VALUES(54,10,'fairness','1-00451db6',5,1.0,7.22467200137110854286e-01,1.0,10,'','{"form":"mean","originals":10,"originals_without_variants":5,"variants":10,"variants_without_original":0,"legacy":{"fairness":100.0}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6364840106106044E5020001860015',1.79483822490665864944e+09);
INSERT INTO "scores" VALUES(56,10,'robustness','1-00451db6',6,7.33333333333333281523e-01,4.80495659440194344825e-01,8.91025466743076144382e-01,15,'','{"form":"mean","originals":15,"originals_without_variants":0,"variants":15,"variants_without_original":0,"legacy":{"robustness":73.33}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6360646400234618890C00018C001B',1.79483822490665864944e+09);
INSERT INTO "scores" VALUES(57,12,'accuracy','1-00451db6',0,0.4,1.98244961413415854423e-01,6.42531698793753935917e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.375,"low":0.13684428582359742,"high":0.6942576053973726,"n":8},{"tag":"odd","value":0.42857142857142855,"low":0.1582198552514697,"high":0.7495416354723428,"n":7}],"mean_of_tags":{"value":0.4017857142857143,"tags":2},"legacy":{"perf":40.0,"pretty_perf":"40.0 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6360606400234608890A0001190016',1.79483822539095664024e+09);
INSERT INTO "scores" VALUES(58,12,'macro_f1','1-abdc05fe',0,2.8654970760233916538e-01,1.11111111111111104943e-01,4.95614035087719340122e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.35714285714285715,"recall":1.0,"f1":0.5263157894736842,"support":5,"predicted":14},{"label":"entailed","precision":1.0,"recall":0.2,"f1":0.3333333333333333,"support":5,"predicted":1},{"label":"neutral","precision":null,"recall":0.0,"f1":0.0,"support":5,"predicted":0,"reason":"never predicted, so there is no precision"}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[4,1,0],[5,0,0]]},"legacy":{"perf":28.65,"pretty_perf":"28.65 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060644041508060A10014C5E83A51F98C300061E137190009980025',1.79483822539095664024e+09);
INSERT INTO "scores" VALUES(59,12,'throughput','1',0,2.16343777185872397695e+02,1.53014542246635187439e+02,3.58509253319230424495e+02,15,'','{"form":"throughput","latency":{"mean":0.004597412666695769,"p50":0.005287418000079924,"p95":0.0091046737999477},"busy_seconds":0.06933409499970367,"start_seconds":0.006993969000177458,"legacy":{"examples_per_second":216.34}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C63644401BA5BF8ACBD78AD6D663B1DB38E9EF3CE7A83189B8D4AEC45EB1DDF996CD6BFDB6279DB5CC65A57A9D0D2B93ADF325920C5323AA1DF3A8BE1AEF56BC375D600B4C916F6',1.79483822539095664024e+09);
INSERT INTO "scores" VALUES(60,12,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483822539095664024e+09);
INSERT INTO "scores" VALUES(64,10,'fairness-accuracy','1-00451db6',5,0.7,3.9677814746114536959e-01,8.92208732593698927715e-01,10,'','{"legacy":{"perf":70.0,"pretty_perf":"70.0 %"}}',NULL,1.79483822545575761795e+09);
INSERT INTO "scores" VALUES(65,10,'robustness-accuracy','1-00451db6',6,0.4,1.98244961413415854423e-01,6.42531698793753935917e-01,15,'','{"legacy":{"perf":40.0,"pretty_perf":"40.0 %"}}',NULL,1.79483822545575761795e+09);
INSERT INTO "scores" VALUES(66,13,'accuracy','1-00451db6',0,8.66666666666666696273e-01,6.21180171676776415879e-01,9.6263874089693457492e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.875,"low":0.5291118177871466,"high":0.9775825085499432,"n":8},{"tag":"odd","value":0.8571428571428571,"low":0.48687217072568123,"high":0.9743203756552564,"n":7}],"mean_of_tags":{"value":0.8660714285714286,"tags":2},"legacy":{"perf":86.67,"pretty_perf":"86.67 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C636464646400236C000001BE001D',1.79483823016306877136e+09);
INSERT INTO "scores" VALUES(67,13,'macro_f1','1-abdc05fe',0,8.61111111111111160454e-01,5.89743589743589757823e-01,1.0,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.7142857142857143,"recall":1.0,"f1":0.8333333333333334,"support":5,"predicted":7},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":5,"predicted":5},{"label":"neutral","precision":1.0,"recall":0.6,"f1":0.75,"support":5,"predicted":3}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[0,5,0],[2,0,3]]},"legacy":{"perf":86.11,"pretty_perf":"86.11 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060644042281C06080603041FAF62343E23235C157E93010BF0002C',1.79483823016306877136e+09);
INSERT INTO "scores" VALUES(68,13,'throughput','1',0,1.10346369895887164603e+03,6.91344757548191296337e+02,2.03208133790389138085e+03,15,'','{"form":"throughput","latency":{"mean":0.0008874296666969409,"p50":0.0003918520001207071,"p95":0.0026539783000544045},"busy_seconds":0.01359356000034495,"start_seconds":0.001760016000162068,"legacy":{"examples_per_second":1103.46}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C63644401F2672E5A326FD86CA97AD3DEBA75FB26CBFE49E7ADD62AAFB6DCB5BDDF6A738BB6B567D072CB43F5532DFBED1AACEC5A73ACB61EECB49C5ADB6BB96F6B9915004DFF1BA5',1.79483823016306877136e+09);
INSERT INTO "scores" VALUES(69,13,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483823016306877136e+09);
INSERT INTO "scores" VALUES(70,14,'accuracy','1-00451db6',0,0.8,4.90162471536641830561e-01,9.4331784854562472642e-01,10,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.8,"low":0.3755346297625255,"high":0.9637758913675698,"n":5},{"tag":"odd","value":0.8,"low":0.3755346297625255,"high":0.9637758913675698,"n":5}],"mean_of_tags":{"value":0.8,"tags":2},"legacy":{"perf":80.0,"pretty_perf":"80.0 %"}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531225D7D0A789C6364646464002304000000C90013',1.7948382303043358326e+09);
INSERT INTO "scores" VALUES(71,14,'macro_f1','1-abdc05fe',0,0.75,0.412426744309092,1.0,10,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.6,"recall":1.0,"f1":0.75,"support":3,"predicted":5},{"label":"entailed","precision":1.0,"recall":1.0,"f1":1.0,"support":4,"predicted":4},{"label":"neutral","precision":1.0,"recall":0.3333333333333333,"f1":0.5,"support":3,"predicted":1}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[3,0,0],[0,4,0],[2,0,1]]},"legacy":{"perf":75.0,"pretty_perf":"75.0 %"}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060648020180D61C200765908027320088B5E000556001D',1.7948382303043358326e+09);
INSERT INTO "scores" VALUES(72,14,'throughput','1',0,184.773120595725,1.19058854828874189025e+02,3.6217908690446233777e+02,10,'','{"form":"throughput","latency":{"mean":0.005388991200038618,"p50":0.004907335500092813,"p95":0.010693126600028788},"busy_seconds":0.05412042600005407,"start_seconds":0.003738117000011698,"legacy":{"examples_per_second":184.77}}',X'7B226974656D73223A31302C227479706573223A5B227C7531222C223C6634225D7D0A789C6364848167554BAC77FFB2B5298D6AB3DEDC30CF7ADA36166BEED372361F0B8F59572571D96CD8CD6E5D336DA22500871211DD',1.7948382303043358326e+09);
INSERT INTO "scores" VALUES(73,14,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.7948382303043358326e+09);
INSERT INTO "scores" VALUES(76,13,'fairness','1-00451db6',5,1.0,7.22467200137110854286e-01,1.0,10,'','{"form":"mean","originals":10,"originals_without_variants":5,"variants":10,"variants_without_original":0,"legacy":{"fairness":100.0}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6364840106106044E5020001860015',1.79483823016306877136e+09);
INSERT INTO "scores" VALUES(78,13,'robustness','1-00451db6',6,7.33333333333333281523e-01,4.80495659440194344825e-01,8.91025466743076144382e-01,15,'','{"form":"mean","originals":15,"originals_without_variants":0,"variants":15,"variants_without_original":0,"legacy":{"robustness":73.33}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6360646400234618890C00018C001B',1.79483823016306877136e+09);
INSERT INTO "scores" VALUES(79,15,'accuracy','1-00451db6',0,0.6,3.57468301206246064083e-01,8.01755038586584145577e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.5,"low":0.21521606221387762,"high":0.7847839377861223,"n":8},{"tag":"odd","value":0.7142857142857143,"low":0.3589344518326194,"high":0.9177810759959433,"n":7}],"mean_of_tags":{"value":0.6071428571428572,"tags":2},"legacy":{"perf":60.0,"pretty_perf":"60.0 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C63606464600021200013280000015B0019',1.79483823055208110809e+09);
INSERT INTO "scores" VALUES(80,15,'macro_f1','1-abdc05fe',0,5.69444444444444419773e-01,2.31884057971014495569e-01,8.5149265564132459172e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":0.45454545454545453,"recall":1.0,"f1":0.625,"support":5,"predicted":11},{"label":"entailed","precision":1.0,"recall":0.2,"f1":0.3333333333333333,"support":5,"predicted":1},{"label":"neutral","precision":1.0,"recall":0.6,"f1":0.75,"support":5,"predicted":3}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[5,0,0],[4,1,0],[2,0,3]]},"legacy":{"perf":56.94,"pretty_perf":"56.94 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C63606064404150C08842C1255114A3EB44E50321048055123019000A610028',1.79483823055208110809e+09);
INSERT INTO "scores" VALUES(81,15,'throughput','1',0,2.65529501760470338922e+02,1.94944916925273645347e+02,388.180366298393,15,'','{"form":"throughput","latency":{"mean":0.003744474333325343,"p50":0.003714134000119884,"p95":0.007893245600007504},"busy_seconds":0.05649089800022011,"start_seconds":0.0029875360000914952,"legacy":{"examples_per_second":265.53}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C223C6634225D7D0A789C636444019743CDAD1C6D5AADB7671DB3125212B6B64F7C6169F17A97B53157BAF5A2C7BDD631464DD6BEEAFBAD3B4E4B59735D28B13EB08FD166D925261B41275E6B00C2201684',1.79483823055208110809e+09);
INSERT INTO "scores" VALUES(82,15,'memory','1',0,NULL,NULL,NULL,0,'the memory of this model cannot be measured here','{}',NULL,1.79483823055208110809e+09);
INSERT INTO "scores" VALUES(86,13,'fairness-accuracy','1-00451db6',5,0.8,4.90162471536641830561e-01,9.4331784854562472642e-01,10,'','{"legacy":{"perf":80.0,"pretty_perf":"80.0 %"}}',NULL,1.79483823061835050583e+09);
INSERT INTO "scores" VALUES(87,13,'robustness-accuracy','1-00451db6',6,0.6,3.57468301206246064083e-01,8.01755038586584145577e-01,15,'','{"legacy":{"perf":60.0,"pretty_perf":"60.0 %"}}',NULL,1.79483823061835050583e+09);
INSERT INTO "scores" VALUES(88,19,'accuracy','1-00451db6',0,8.66666666666666696273e-01,6.21180171676776415879e-01,9.6263874089693457492e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.875,"low":0.5291118177871466,"high":0.9775825085499432,"n":8},{"tag":"odd","value":0.8571428571428571,"low":0.48687217072568123,"high":0.9743203756552564,"n":7}],"mean_of_tags":{"value":0.8660714285714286,"tags":2},"legacy":{"perf":86.67,"pretty_perf":"86.67 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C6360040206461C000001B8001D',1.7948382343412861824e+09);
INSERT INTO "scores" VALUES(89,19,'macro_f1','1-abdc05fe',0,8.70370370370370349811e-01,5.99399343563454145567e-01,1.0,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":1.0,"recall":0.8,"f1":0.8888888888888888,"support":5,"predicted":4},{"label":"entailed","precision":1.0,"recall":0.8,"f1":0.8888888888888888,"support":5,"predicted":4},{"label":"neutral","precision":0.7142857142857143,"recall":1.0,"f1":0.8333333333333334,"support":5,"predicted":7}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[4,0,1],[0,4,1],[0,0,5]]},"legacy":{"perf":87.04,"pretty_perf":"87.04 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636060640001461842B0D039187CBC92103E4E93192118C607000B54002C',1.7948382343412861824e+09);
INSERT INTO "scores" VALUES(90,19,'throughput','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nobody was asked','{}',NULL,1.7948382343412861824e+09);
INSERT INTO "scores" VALUES(91,19,'memory','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nothing ran here','{}',NULL,1.7948382343412861824e+09);
INSERT INTO "scores" VALUES(92,26,'squad_f1','1-6cba7bee',0,0.6,0.1,1.0,5,'','{"form":"mean","legacy":{"perf":60.0,"pretty_perf":"60.0 %"}}',X'7B226974656D73223A352C227479706573223A5B223C6634222C227C7531225D7D0A789C636060B067606800623000B3194100001AF00202',1.7948382476530456543e+09);
INSERT INTO "scores" VALUES(93,26,'squad_em','1-da738acd',0,0.4,1.17620774232647939961e-01,0.769275718723987,5,'','{"form":"mean","legacy":{"perf":40.0,"pretty_perf":"40.0 %"}}',X'7B226974656D73223A352C227479706573223A5B227C7531222C227C7531225D7D0A789C636064606004030000280008',1.7948382476530456543e+09);
INSERT INTO "scores" VALUES(94,26,'throughput','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nobody was asked','{}',NULL,1.7948382476530456543e+09);
INSERT INTO "scores" VALUES(95,26,'memory','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nothing ran here','{}',NULL,1.7948382476530456543e+09);
INSERT INTO "scores" VALUES(96,27,'accuracy','1-00451db6',0,0.4,1.98244961413415854423e-01,6.42531698793753935917e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.375,"low":0.13684428582359742,"high":0.6942576053973726,"n":8},{"tag":"odd","value":0.42857142857142855,"low":0.1582198552514697,"high":0.7495416354723428,"n":7}],"mean_of_tags":{"value":0.4017857142857143,"tags":2},"legacy":{"perf":40.0,"pretty_perf":"40.0 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C63646400024618C9880A0001230016',1.79483825998066544533e+09);
INSERT INTO "scores" VALUES(97,27,'macro_f1','1-abdc05fe',0,3.20512820512820539864e-01,1.02564102564102574422e-01,5.12820512820512885988e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":null,"recall":0.0,"f1":0.0,"support":5,"predicted":0,"reason":"never predicted, so there is no precision"},{"label":"entailed","precision":0.375,"recall":0.6,"f1":0.46153846153846156,"support":5,"predicted":8},{"label":"neutral","precision":0.42857142857142855,"recall":0.6,"f1":0.5,"support":5,"predicted":7}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[0,3,2],[0,3,2],[0,2,3]]},"legacy":{"perf":32.05,"pretty_perf":"32.05 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636040018C6824163E0231A2F219D0F96826E3830007EF0025',1.79483825998066544533e+09);
INSERT INTO "scores" VALUES(98,27,'throughput','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nobody was asked','{}',NULL,1.79483825998066544533e+09);
INSERT INTO "scores" VALUES(99,27,'memory','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nothing ran here','{}',NULL,1.79483825998066544533e+09);
INSERT INTO "scores" VALUES(100,28,'accuracy','1-00451db6',0,0.4,1.98244961413415854423e-01,6.42531698793753935917e-01,15,'','{"form":"mean","perf_by_tag":[{"tag":"even","value":0.375,"low":0.13684428582359742,"high":0.6942576053973726,"n":8},{"tag":"odd","value":0.42857142857142855,"low":0.1582198552514697,"high":0.7495416354723428,"n":7}],"mean_of_tags":{"value":0.4017857142857143,"tags":2},"legacy":{"perf":40.0,"pretty_perf":"40.0 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531225D7D0A789C63646400024618C9880A0001230016',1.79483826431088757515e+09);
INSERT INTO "scores" VALUES(101,28,'macro_f1','1-abdc05fe',0,3.20512820512820539864e-01,1.02564102564102574422e-01,5.12820512820512885988e-01,15,'','{"form":"macro_f1","classes":[{"label":"contradictory","precision":null,"recall":0.0,"f1":0.0,"support":5,"predicted":0,"reason":"never predicted, so there is no precision"},{"label":"entailed","precision":0.375,"recall":0.6,"f1":0.46153846153846156,"support":5,"predicted":8},{"label":"neutral","precision":0.42857142857142855,"recall":0.6,"f1":0.5,"support":5,"predicted":7}],"confusion":{"labels":["contradictory","entailed","neutral"],"matrix":[[0,3,2],[0,3,2],[0,2,3]]},"legacy":{"perf":32.05,"pretty_perf":"32.05 %"}}',X'7B226974656D73223A31352C227479706573223A5B227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531222C227C7531225D7D0A789C636040018C6824163E0231A2F219D0F96826E3830007EF0025',1.79483826431088757515e+09);
INSERT INTO "scores" VALUES(102,28,'throughput','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nobody was asked','{}',NULL,1.79483826431088757515e+09);
INSERT INTO "scores" VALUES(103,28,'memory','1',0,NULL,NULL,NULL,0,'the predictions were uploaded: nothing ran here','{}',NULL,1.79483826431088757515e+09);
CREATE TABLE screenings (
	id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	participant_id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	mending BOOLEAN NOT NULL, 
	mistakes TEXT NOT NULL, 
	passed BOOLEAN, 
	started FLOAT NOT NULL, 
	finished FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, stage, attempt), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	FOREIGN KEY(participant_id) REFERENCES participants (id), 
	FOREIGN KEY(assignment_id) REFERENCES assignments (id)
);
INSERT INTO "screenings" VALUES(1,8,0,14,14,1,1,0,'[[],[]]',1,1.79483794615761399269e+09,1.79483794622285985947e+09);
INSERT INTO "screenings" VALUES(2,8,0,15,15,1,1,0,'[[2],[2,4]]',0,1.79483794630291080475e+09,1.79483794633252096176e+09);
INSERT INTO "screenings" VALUES(3,8,0,15,15,2,1,0,'[[],[]]',1,1.79483794634071850777e+09,1.79483794635752892494e+09);
INSERT INTO "screenings" VALUES(4,8,0,16,16,1,1,0,'[[],[]]',1,1.79483794641644668579e+09,1.7948379464330265522e+09);
INSERT INTO "screenings" VALUES(5,8,0,17,17,1,1,0,'[[],[2,4]]',0,1.79483794647224354744e+09,1.79483794648818039894e+09);
INSERT INTO "screenings" VALUES(6,8,0,17,17,2,1,0,'[[],[2]]',0,1.79483794649666595459e+09,1.79483794651265239716e+09);
CREATE TABLE seats (
	dialogue_id INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	from_seq INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	assignment_id INTEGER, 
	system TEXT, 
	PRIMARY KEY (dialogue_id, seat, from_seq), 
	CONSTRAINT seat_occupant CHECK ((kind = 'person') = (system IS NULL)), 
	FOREIGN KEY(dialogue_id) REFERENCES dialogues (id), 
	FOREIGN KEY(assignment_id) REFERENCES assignments (id)
);
INSERT INTO "seats" VALUES(1,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(2,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(1,1,1,'system',NULL,'system');
INSERT INTO "seats" VALUES(2,1,1,'system',NULL,'system');
INSERT INTO "seats" VALUES(3,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(4,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(3,1,1,'system',NULL,'system');
INSERT INTO "seats" VALUES(4,1,1,'system',NULL,'system');
INSERT INTO "seats" VALUES(5,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(6,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(5,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(6,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(7,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(8,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(9,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(10,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(7,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(9,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(8,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(10,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(11,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(12,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(13,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(14,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(11,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(13,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(12,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(14,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(15,0,1,'person',1,NULL);
INSERT INTO "seats" VALUES(15,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(16,0,1,'person',2,NULL);
INSERT INTO "seats" VALUES(16,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(17,0,1,'person',3,NULL);
INSERT INTO "seats" VALUES(17,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(18,0,1,'person',4,NULL);
INSERT INTO "seats" VALUES(18,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(19,0,1,'person',5,NULL);
INSERT INTO "seats" VALUES(19,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(20,0,1,'person',7,NULL);
INSERT INTO "seats" VALUES(20,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(21,0,1,'person',7,NULL);
INSERT INTO "seats" VALUES(21,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(22,0,1,'person',8,NULL);
INSERT INTO "seats" VALUES(22,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(23,0,1,'person',8,NULL);
INSERT INTO "seats" VALUES(23,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(24,0,1,'person',9,NULL);
INSERT INTO "seats" VALUES(24,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(25,0,1,'person',9,NULL);
INSERT INTO "seats" VALUES(25,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(26,0,1,'person',10,NULL);
INSERT INTO "seats" VALUES(26,1,1,'system',NULL,'wren');
INSERT INTO "seats" VALUES(27,0,1,'person',10,NULL);
INSERT INTO "seats" VALUES(27,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(28,0,1,'person',11,NULL);
INSERT INTO "seats" VALUES(28,1,1,'person',12,NULL);
INSERT INTO "seats" VALUES(29,0,1,'person',13,NULL);
INSERT INTO "seats" VALUES(29,1,1,'system',NULL,'heron');
INSERT INTO "seats" VALUES(30,0,1,'person',27,NULL);
INSERT INTO "seats" VALUES(30,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(31,0,1,'person',27,NULL);
INSERT INTO "seats" VALUES(31,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(32,0,1,'person',28,NULL);
INSERT INTO "seats" VALUES(32,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(33,0,1,'person',28,NULL);
INSERT INTO "seats" VALUES(33,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(34,0,1,'person',29,NULL);
INSERT INTO "seats" VALUES(34,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(35,0,1,'person',29,NULL);
INSERT INTO "seats" VALUES(35,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(36,0,1,'person',30,NULL);
INSERT INTO "seats" VALUES(36,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(37,0,1,'person',30,NULL);
INSERT INTO "seats" VALUES(37,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(38,0,1,'person',31,NULL);
INSERT INTO "seats" VALUES(38,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(39,0,1,'person',31,NULL);
INSERT INTO "seats" VALUES(39,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(40,0,1,'person',32,NULL);
INSERT INTO "seats" VALUES(40,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(41,0,1,'person',32,NULL);
INSERT INTO "seats" VALUES(41,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(42,0,1,'person',33,NULL);
INSERT INTO "seats" VALUES(42,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(43,0,1,'person',33,NULL);
INSERT INTO "seats" VALUES(43,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(44,0,1,'person',34,NULL);
INSERT INTO "seats" VALUES(44,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(45,0,1,'person',34,NULL);
INSERT INTO "seats" VALUES(45,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(46,0,1,'person',35,NULL);
INSERT INTO "seats" VALUES(46,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(47,0,1,'person',35,NULL);
INSERT INTO "seats" VALUES(47,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(48,0,1,'person',36,NULL);
INSERT INTO "seats" VALUES(48,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(49,0,1,'person',36,NULL);
INSERT INTO "seats" VALUES(49,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(50,0,1,'person',37,NULL);
INSERT INTO "seats" VALUES(50,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(51,0,1,'person',37,NULL);
INSERT INTO "seats" VALUES(51,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(52,0,1,'person',38,NULL);
INSERT INTO "seats" VALUES(52,1,1,'system',NULL,'plain');
INSERT INTO "seats" VALUES(53,0,1,'person',38,NULL);
INSERT INTO "seats" VALUES(53,1,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(54,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(54,1,1,'system',NULL,'helpdesk');
INSERT INTO "seats" VALUES(55,0,1,'person',NULL,NULL);
INSERT INTO "seats" VALUES(55,1,1,'system',NULL,'helpdesk');
INSERT INTO "seats" VALUES(56,0,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(56,1,1,'system',NULL,'poor');
INSERT INTO "seats" VALUES(57,0,1,'system',NULL,'good');
INSERT INTO "seats" VALUES(57,1,1,'system',NULL,'poor');
CREATE TABLE sheet_people (
	sheet_id INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	PRIMARY KEY (sheet_id, person), 
	FOREIGN KEY(sheet_id) REFERENCES sheets (id)
)
 WITHOUT ROWID

;
INSERT INTO "sheet_people" VALUES(13,'p_HOtBPM362M4XYEamCRwI');
INSERT INTO "sheet_people" VALUES(14,'p_7_Yk5NCWMuuonesxiRz1');
INSERT INTO "sheet_people" VALUES(15,'p_eQ-6jrPqJwt1yRfikDDd');
INSERT INTO "sheet_people" VALUES(16,'p_ZMSSvpXXezgT5nDC_SRr');
CREATE TABLE sheets (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	study_id INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	purpose TEXT NOT NULL, 
	name TEXT NOT NULL, 
	group_key TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	truth TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (study_id, stage, purpose, name), 
	CONSTRAINT sheet_purpose CHECK (purpose IN ('real', 'training', 'gold', 'attention')), 
	UNIQUE ("key"), 
	FOREIGN KEY(study_id) REFERENCES studies (id)
);
INSERT INTO "sheets" VALUES(1,'t_Xof498G8HRzC1ILwSbvw',8,0,'training','round-1','round-1',0,'{"parts":[{"dialogues":["d_Kh9QD5iINlaGII9Yh5uC"],"ask":["empathy"]}]}','{"answers":[{"unit":"event:d_Kh9QD5iINlaGII9Yh5uC:2","question":"empathy","any_of":[{"empathy":"empathetic"}],"why":"It cares, 1."},{"unit":"event:d_Kh9QD5iINlaGII9Yh5uC:4","question":"empathy","any_of":[{"empathy":"not_empathetic"}],"why":"Trains."}]}');
INSERT INTO "sheets" VALUES(2,'t_P4g4L0ptWs4wY6BfbysV',8,0,'training','round-2','round-2',1,'{"parts":[{"dialogues":["d_QMhi_M5G3BIYmBgMmc0m"],"ask":["empathy"]}]}','{"answers":[{"unit":"event:d_QMhi_M5G3BIYmBgMmc0m:2","question":"empathy","any_of":[{"empathy":"empathetic"}],"why":"It cares, 2."},{"unit":"event:d_QMhi_M5G3BIYmBgMmc0m:4","question":"empathy","any_of":[{"empathy":"not_empathetic"}],"why":"Trains."}]}');
INSERT INTO "sheets" VALUES(3,'t_Tjl8oDMh4yMLvxdLHFm3',8,1,'gold','g1','g1',0,'{"parts":[{"dialogues":["d_HsQQ-DqFpneXydROUd6N"],"ask":["empathy"]}]}','{"answers":[{"unit":"event:d_HsQQ-DqFpneXydROUd6N:2","question":"empathy","any_of":[{"empathy":"empathetic"}]}]}');
INSERT INTO "sheets" VALUES(4,'t_J6i3YDe-uAypSjtV8PHb',8,1,'gold','g2','g2',1,'{"parts":[{"dialogues":["d_TyJezw81TfK2tf-tEGnm"],"ask":["empathy"]}]}','{"answers":[{"unit":"event:d_TyJezw81TfK2tf-tEGnm:2","question":"empathy","any_of":[{"empathy":"empathetic"}]}]}');
INSERT INTO "sheets" VALUES(5,'t_Sh3Jzsdps8krCmwrR0NQ',4,0,'real','t1','t1',0,'{"parts":[{"dialogues":["d_AK0pbCKDFgJkI0agsFk2"],"ask":["knowledge","polite","faults","marks","warmth","order","quality_likert","overall_comment"]}]}',NULL);
INSERT INTO "sheets" VALUES(6,'t__EN0zpfLu1Y4CUwO3fRc',4,0,'real','t2','t2',1,'{"parts":[{"dialogues":["d_PAceoUp_uLHNH8vWKzhG"],"ask":["knowledge","polite","faults","marks","warmth","order","quality_likert","overall_comment"]}]}',NULL);
INSERT INTO "sheets" VALUES(7,'t_nthCmft_BVhbXyPRC7tv',7,0,'real','p1','p1',0,'{"parts":[{"dialogues":["d_751JhZDi09u7uLJCDMdr","d_1Z7-DRnyCRagV8KMpdHO"],"ask":["quality_comparative","engaging_comparative"]}]}',NULL);
INSERT INTO "sheets" VALUES(8,'t_g35NrK0LA1Ub2p53BkyZ',7,0,'real','p2','p2',1,'{"parts":[{"dialogues":["d_BcwyuiHBp_EoO0Z-jwTt","d_cvIuMxObZXbCRc57hF21"],"ask":["quality_comparative","engaging_comparative"]}]}',NULL);
INSERT INTO "sheets" VALUES(9,'t_4VzsClwaOKprUAfwg2fc',8,1,'real','t1','t1',0,'{"parts":[{"dialogues":["d_IR97xpu9TN-wTZISbuMl"],"ask":["empathy"]}]}',NULL);
INSERT INTO "sheets" VALUES(10,'t_wpNxPqBPZ8z6mlJRIM_j',8,1,'real','t2','t2',1,'{"parts":[{"dialogues":["d_2mNSeeCMFbRT2xGEYTAE"],"ask":["empathy"]}]}',NULL);
INSERT INTO "sheets" VALUES(11,'t_T6oQCuzdmOnRPCDnS1Bp',8,1,'real','t3','t3',2,'{"parts":[{"dialogues":["d_AQPXiJBRuag9I0Tzu2yb"],"ask":["empathy"]}]}',NULL);
INSERT INTO "sheets" VALUES(12,'t_8V70ak2WuIvbF5MwWVcf',8,1,'real','t4','t4',3,'{"parts":[{"dialogues":["d_y9ZBBAiDIXh6PA0Vg4jJ"],"ask":["empathy"]}]}',NULL);
INSERT INTO "sheets" VALUES(13,'t_QHNCv3UlRrVPfqyyF77T',5,0,'real','d_PW9BQpG_vUlWqis8lVKT','d_PW9BQpG_vUlWqis8lVKT',15,'{"parts":[{"dialogues":["d_PW9BQpG_vUlWqis8lVKT"],"ask":["nuggets","accomplishment","satisfaction","effectiveness"]}]}',NULL);
INSERT INTO "sheets" VALUES(14,'t_BnzOckzTsrETJqJlbVfm',5,0,'real','d_2JOod53WA1gOMtVuNAGI','d_2JOod53WA1gOMtVuNAGI',16,'{"parts":[{"dialogues":["d_2JOod53WA1gOMtVuNAGI"],"ask":["nuggets","accomplishment","satisfaction","effectiveness"]}]}',NULL);
INSERT INTO "sheets" VALUES(15,'t_hRM8-IkRRUZq4TDOgFDW',5,0,'real','d_zCZVfmTIrYbgizNMdAsu','d_zCZVfmTIrYbgizNMdAsu',17,'{"parts":[{"dialogues":["d_zCZVfmTIrYbgizNMdAsu"],"ask":["nuggets","accomplishment","satisfaction","effectiveness"]}]}',NULL);
INSERT INTO "sheets" VALUES(16,'t_w-7NSfBvHv5Of03R0LpP',5,0,'real','d_HnOtsUeFRv_BGiZB-_Ex','d_HnOtsUeFRv_BGiZB-_Ex',18,'{"parts":[{"dialogues":["d_HnOtsUeFRv_BGiZB-_Ex"],"ask":["nuggets","accomplishment","satisfaction","effectiveness"]}]}',NULL);
CREATE TABLE slots (
	id INTEGER NOT NULL, 
	sheet_id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	group_key TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	rank BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	participant_id INTEGER, 
	assignment_id INTEGER, 
	since FLOAT, 
	seen FLOAT, 
	finished FLOAT, 
	mistakes INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (sheet_id, number), 
	CONSTRAINT slot_state CHECK (state IN ('free', 'held', 'done', 'abandoned')), 
	FOREIGN KEY(sheet_id) REFERENCES sheets (id), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	FOREIGN KEY(participant_id) REFERENCES participants (id), 
	FOREIGN KEY(assignment_id) REFERENCES assignments (id)
);
INSERT INTO "slots" VALUES(1,5,4,0,'t1',1,1,'done',18,18,1.79483794653211426735e+09,1794837946.64402,1794837946.64402,NULL);
INSERT INTO "slots" VALUES(2,5,4,0,'t1',2,2,'done',19,19,1.7948379467105679512e+09,1.7948379467530567646e+09,1.7948379467530567646e+09,NULL);
INSERT INTO "slots" VALUES(3,5,4,0,'t1',3,3,'done',20,20,1794837946.81434,1.79483794685561275482e+09,1.79483794685561275482e+09,NULL);
INSERT INTO "slots" VALUES(4,6,4,0,'t2',1,16777217,'done',18,18,1794837946.64402,1.7948379466932914257e+09,1.7948379466932914257e+09,NULL);
INSERT INTO "slots" VALUES(5,6,4,0,'t2',2,16777218,'done',19,19,1.7948379467530567646e+09,1.79483794679758024216e+09,1.79483794679758024216e+09,NULL);
INSERT INTO "slots" VALUES(6,6,4,0,'t2',3,16777219,'done',20,20,1.79483794685561275482e+09,1.79483794689860153198e+09,1.79483794689860153198e+09,NULL);
INSERT INTO "slots" VALUES(7,7,7,0,'p1',1,32899826622478,'done',18,21,1.79483794691434454918e+09,1.79483794692440772057e+09,1.79483794692440772057e+09,NULL);
INSERT INTO "slots" VALUES(8,8,7,0,'p2',1,35072115376553,'done',18,21,1.79483794692440772057e+09,1794837946.93549,1794837946.93549,NULL);
INSERT INTO "slots" VALUES(9,7,7,0,'p1',2,41543915427573,'done',19,22,1.7948379469520585537e+09,1.7948379469614610672e+09,1.7948379469614610672e+09,NULL);
INSERT INTO "slots" VALUES(10,8,7,0,'p2',2,44445703027852,'done',19,22,1.7948379469614610672e+09,1.79483794697141957283e+09,1.79483794697141957283e+09,NULL);
INSERT INTO "slots" VALUES(11,8,7,0,'p2',3,54610671531863,'done',21,23,1.79483794698772072792e+09,1.79483794699639511108e+09,1.79483794699639511108e+09,NULL);
INSERT INTO "slots" VALUES(12,7,7,0,'p1',3,59612701717439,'done',21,23,1.79483794699639511108e+09,1.79483794700630450249e+09,1.79483794700630450249e+09,NULL);
INSERT INTO "slots" VALUES(13,9,8,1,'t1',1,1,'done',14,14,1.79483794623510670662e+09,1.79483794624515891075e+09,1.79483794624515891075e+09,NULL);
INSERT INTO "slots" VALUES(14,9,8,1,'t1',2,2,'done',15,15,1.79483794636594772339e+09,1.79483794637005591393e+09,1.79483794637005591393e+09,NULL);
INSERT INTO "slots" VALUES(15,9,8,1,'t1',3,3,'done',16,16,1.79483794644146227837e+09,1.79483794644543766975e+09,1.79483794644543766975e+09,NULL);
INSERT INTO "slots" VALUES(16,10,8,1,'t2',1,16777217,'done',14,14,1.79483794625623369217e+09,1.79483794626189899445e+09,1.79483794626189899445e+09,NULL);
INSERT INTO "slots" VALUES(17,10,8,1,'t2',2,16777218,'done',15,15,1.79483794637610411644e+09,1.79483794638162684441e+09,1.79483794638162684441e+09,NULL);
INSERT INTO "slots" VALUES(18,10,8,1,'t2',3,16777219,'free',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "slots" VALUES(19,11,8,1,'t3',1,33554433,'done',14,14,1.79483794626189899445e+09,1.79483794627370691299e+09,1.79483794627370691299e+09,0);
INSERT INTO "slots" VALUES(20,11,8,1,'t3',2,33554434,'done',15,15,1.79483794638162684441e+09,1.79483794639113950729e+09,1.79483794639113950729e+09,0);
INSERT INTO "slots" VALUES(21,11,8,1,'t3',3,33554435,'free',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "slots" VALUES(22,12,8,1,'t4',1,50331649,'done',14,14,1.79483794627370691299e+09,1.79483794627951049805e+09,1.79483794627951049805e+09,NULL);
INSERT INTO "slots" VALUES(23,12,8,1,'t4',2,50331650,'done',15,15,1.79483794639113950729e+09,1.79483794639626407623e+09,1.79483794639626407623e+09,NULL);
INSERT INTO "slots" VALUES(24,12,8,1,'t4',3,50331651,'free',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "slots" VALUES(25,4,8,1,'g2',14,-1,'done',14,14,1.79483794624515891075e+09,1.79483794625623369217e+09,1.79483794625623369217e+09,0);
INSERT INTO "slots" VALUES(26,3,8,1,'g1',15,-1,'done',15,15,1.79483794637005591393e+09,1.79483794637610411644e+09,1.79483794637610411644e+09,0);
INSERT INTO "slots" VALUES(27,4,8,1,'g2',16,-1,'done',16,16,1.79483794644543766975e+09,1794837946.452,1794837946.452,1);
INSERT INTO "slots" VALUES(28,14,5,0,'d_2JOod53WA1gOMtVuNAGI',1,21505838109758,'done',18,24,1.79483794881180810928e+09,1.79483794917914223671e+09,1.79483794917914223671e+09,NULL);
INSERT INTO "slots" VALUES(29,13,5,0,'d_PW9BQpG_vUlWqis8lVKT',1,25846405662946,'done',18,24,1.79483794917914223671e+09,1.79483794931254220009e+09,1.79483794931254220009e+09,NULL);
INSERT INTO "slots" VALUES(30,16,5,0,'d_HnOtsUeFRv_BGiZB-_Ex',1,26393518532303,'done',18,24,1.79483794931254220009e+09,1.79483794933877253532e+09,1.79483794933877253532e+09,NULL);
INSERT INTO "slots" VALUES(31,15,5,0,'d_zCZVfmTIrYbgizNMdAsu',1,26711162462445,'done',18,24,1.79483794933877253532e+09,1.79483794936695146561e+09,1.79483794936695146561e+09,NULL);
INSERT INTO "slots" VALUES(32,16,5,0,'d_HnOtsUeFRv_BGiZB-_Ex',2,45041537735791,'done',19,25,1.79483794947107768059e+09,1.79483794955994653702e+09,1.79483794955994653702e+09,NULL);
INSERT INTO "slots" VALUES(33,14,5,0,'d_2JOod53WA1gOMtVuNAGI',2,49044551457372,'done',19,25,1.79483794955994653702e+09,1.79483794959970760345e+09,1.79483794959970760345e+09,NULL);
INSERT INTO "slots" VALUES(34,13,5,0,'d_PW9BQpG_vUlWqis8lVKT',2,51107913607887,'done',19,25,1.79483794959970760345e+09,1.7948379496240401268e+09,1.7948379496240401268e+09,NULL);
INSERT INTO "slots" VALUES(35,15,5,0,'d_zCZVfmTIrYbgizNMdAsu',2,52224680241127,'done',19,25,1.7948379496240401268e+09,1.79483794972567629814e+09,1.79483794972567629814e+09,NULL);
CREATE TABLE standings (
	id INTEGER NOT NULL, 
	participant_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	state TEXT NOT NULL, 
	study_id INTEGER NOT NULL, 
	reason TEXT DEFAULT '' NOT NULL, 
	time FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT standing CHECK (state IN ('passed', 'failed', 'warned', 'barred', 'lifted')), 
	FOREIGN KEY(participant_id) REFERENCES participants (id), 
	FOREIGN KEY(study_id) REFERENCES studies (id)
);
INSERT INTO "standings" VALUES(1,14,'screened:0','passed',8,'screening',1.79483794622285985947e+09);
INSERT INTO "standings" VALUES(2,15,'screened:0','passed',8,'screening',1.79483794635752892494e+09);
INSERT INTO "standings" VALUES(3,16,'screened:0','passed',8,'screening',1.7948379464330265522e+09);
INSERT INTO "standings" VALUES(4,16,'screened:1','barred',8,'gold',1794837946.452);
INSERT INTO "standings" VALUES(5,17,'screened:0','failed',8,'screening',1.79483794651265239716e+09);
CREATE TABLE studies (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	definition TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "studies" VALUES(1,'chatting','Talking about the weekend','f11a924d580de17865adbc497db1168bb5b666129a3d045965ef48fe2b36c9aa','title: Talking about the weekend
name: chatting
minutes: 5
contact: lab@example.org
consent: {version: "2026-03", text: "We keep what you write. You may leave at any time."}
instructions: Talk about your weekend.
thanks: Thank you for talking with us.
pay: {amount: 1.5, currency: GBP, waiting_per_minute: 0.1}
systems:
  heron: {kind: scripted, lines: ["That sounds lovely.", "And then?", "I see."]}
  wren: {kind: scripted, lines: ["No.", "Fine.", "Go on."]}
questions:
  enjoyment: {kind: likert, text: "How much did you enjoy it?", anchors: {1: not at all, 5: very much}}
  seemed:
    kind: aspects
    text: How did {speaker} seem?
    aspects: [{id: kind, text: Kind}, {id: clever, text: Clever}]
  remarks: {kind: text, text: Anything else?, required: false}
stages:
  - chat:
      turns: {exactly: 4}
      conditions: [{systems: [heron], needed: 4}, {systems: [wren], needed: 3}]
      pace: null
      seeds: [{by: person, text: Good morning.}, {by: partner, text: Good morning to you.}]
      online: {ask: thumbs}
  - rate: {ask: [enjoyment, seemed, remarks]}
',1.79483794114014673233e+09);
INSERT INTO "studies" VALUES(2,'comparing','Which partner is better company','a4dc26a189d8a1fdf8bbc78eaf87e940c578e1ce4e575268321e102d16e54b7f','title: Which partner is better company
name: comparing
consent: {version: "1", text: "We keep what you write."}
pay: {amount: 2.0, currency: EUR}
crowd:
  kind: prolific
  completion_code: C0DE1234
  completion_url: "https://app.prolific.example/complete?cc={code}"
systems:
  heron: {kind: scripted, lines: ["That sounds lovely.", "And then?"]}
  wren: {kind: scripted, lines: ["No.", "Fine."]}
stages:
  - chat:
      arrangement: paired
      display: side_by_side
      turns: {exactly: 2}
      conditions: "heron|wren:5"
      pace: null
      scenarios:
        - {id: rain, title: A rainy day, personas: {person: [You forgot your umbrella.]}}
  - rate: {ask: [preference, overall_comment]}
board: {public: true, votes: 8}
',1.79483794115750813484e+09);
INSERT INTO "studies" VALUES(3,'crowd','A simulated crowd','9c76dfe3b832f652750f6775219e1afd070ea5c29244c3ab5c9055c0146596e3','title: A simulated crowd
name: crowd
systems:
  good: {kind: scripted, lines: ["How nice to hear.", "Tell me more."]}
  poor: {kind: scripted, lines: ["No.", "Maybe."]}
  plain: {kind: scripted, lines: ["Yes.", "I see."]}
questions:
  preference: {kind: comparative, text: "Which was better?"}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 2}
      conditions:
        - {systems: [good, poor], needed: 4}
        - {systems: [good, plain], needed: 4}
        - {systems: [poor, plain], needed: 4}
      pace: null
  - rate: {ask: [preference]}
board: {public: true, votes: 8}
simulated: {visitors: 12, strengths: {good: 4, plain: 2, poor: 1}, ties: 0.1, per_second: 50, seed: 3}
',1.79483794116256284714e+09);
INSERT INTO "studies" VALUES(4,'judging','Judge replies in every way','6fd25d96c51d2c3b075db1ac34dc131b5b7d4c1ba1034a83c5caf3331b9e54ca','title: Judge replies in every way
name: judging
consent: {version: "1", text: "We keep your answers."}
pay: {amount: 3.0, currency: USD}
questions:
  warmth: {kind: slider, text: How warm was it?, least: 0, most: 10}
  faults:
    kind: multiselect
    text: What is wrong with the reply?
    speaker: system
    options: [{id: dull, text: It is dull}, {id: wrong, text: It is wrong}]
  polite:
    kind: choice
    text: Is the reply polite?
    speaker: system
    options: [{id: "yes", text: Polite}, {id: "no", text: Rude}]
  marks:
    kind: spans
    text: Which words are wrong or kind?
    speaker: system
    required: false
    options: [{id: wrong, text: Wrong}, {id: kind, text: Kind}]
  order:
    kind: ranking
    text: What matters most here?
    options: [{id: wit, text: Wit}, {id: care, text: Care}, {id: speed, text: Speed}]
stages:
  - rate:
      ask: [knowledge, polite, faults, marks, warmth, order, quality_likert, overall_comment]
      data: talks.jsonl
      raters: 3
      order: file
',1.79483794117341136932e+09);
INSERT INTO "studies" VALUES(5,'judging-chats','Judge what others said','8892edd538c3c09e6465ef4a849857b824d2e53ba35d345e50cd3e7efb62bac1','title: Judge what others said
name: judging-chats
language: ar
consent: {version: "1", text: "We keep your answers."}
pay: {amount: 1.0, currency: GBP}
stages:
  - rate:
      ask: [nuggets, accomplishment, satisfaction, effectiveness]
      from: chatting
      raters: 2
      speakers: {user: Kim, system: Lou}
',1.79483794117757987976e+09);
INSERT INTO "studies" VALUES(6,'meeting','Two people meet','11b49300a385b46f0250d5972122014ea21637855087385688434f0f6d5e9351','title: Two people meet
name: meeting
consent: {version: "1", text: "We keep what you write."}
pay: {amount: 1.0, currency: GBP}
systems:
  heron: {kind: scripted, lines: ["I took over here."]}
stages:
  - chat:
      arrangement: people
      turns: {exactly: 4}
      conditions: [{people: true}]
      personas: {person: [You love mountains.], partner: [You fear heights.]}
      limits: {waiting: 3}
      nobody_comes: heron
      pace: null
',1.7948379411791946888e+09);
INSERT INTO "studies" VALUES(7,'pairs','Judge pairs of replies','497afb2276169c1291ab53841353443bc9d5f0c6caeb634bf994bc2fb37794e2','title: Judge pairs of replies
name: pairs
consent: {version: "1", text: "We keep your answers."}
pay: {amount: 1.0, currency: GBP}
stages:
  - rate: {ask: [quality_comparative, engaging_comparative], data: pairs.jsonl, raters: 3, shuffle: true}
',1.79483794118347501755e+09);
INSERT INTO "studies" VALUES(8,'screened','Judge care after practice','5e7192d6f7e02e7021ac5d3d8f5b9daded7e80d996591de6cf35fd0db9ec79a9','title: Judge care after practice
name: screened
consent: {version: "1", text: "We keep your answers."}
pay: {amount: 3.0, currency: USD}
questions:
  reads: {kind: likert, text: Please choose 4 here., expected: 4}
stages:
  - screen: {training: training.json, ask: empathy, attempts: 2}
  - rate:
      ask: [empathy]
      data: talks.jsonl
      raters: 3
      order: file
      gold: {file: gold.jsonl, after: 1, on_fail: bar}
      attention: {ask: [reads], after: 2, on_fail: warn}
',1.79483794118498492241e+09);
INSERT INTO "studies" VALUES(9,'helpdesk','helpdesk','5c6eabb3c6f566e38431146a4022f673fb0c6fb0ef41007d0559deefacaae028','# Written by palaver import dch2.
title: "helpdesk"
name: helpdesk
stages:
  - rate: {from: helpdesk, ask: [nuggets, accomplishment, satisfaction, effectiveness]}
',1.79483817280611205101e+09);
CREATE TABLE submissions (
	id INTEGER NOT NULL, 
	submitter_id INTEGER NOT NULL, 
	model_version_id INTEGER NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(submitter_id) REFERENCES submitters (id), 
	FOREIGN KEY(model_version_id) REFERENCES model_versions (id)
);
INSERT INTO "submissions" VALUES(1,1,11,1.79483825986597847939e+09);
INSERT INTO "submissions" VALUES(2,3,12,1.79483826396085119247e+09);
CREATE TABLE submitters (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	team TEXT NOT NULL, 
	affiliation TEXT DEFAULT '' NOT NULL, 
	link TEXT DEFAULT '' NOT NULL, 
	digest TEXT NOT NULL, 
	terms_digest TEXT, 
	accepted FLOAT, 
	created FLOAT NOT NULL, 
	revoked FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (task_id, team), 
	FOREIGN KEY(task_id) REFERENCES tasks (id), 
	UNIQUE (digest)
);
INSERT INTO "submitters" VALUES(1,1,'Blue','Blue University','https://blue.example.org','bfcdcd16c4a777024a178906c0065ae9ca0014f77f041365d2fdeee6995376d4','1b3c99898b98b709',1.79483825985054779053e+09,1.79483825285656046867e+09,NULL);
INSERT INTO "submitters" VALUES(2,1,'Red','Red University','https://red.example.org','408b700f860f5e7ffddbfdd6ece78f5745e1ce10a9def4bd5bc145dd867220ad',NULL,NULL,1.79483825392042350769e+09,1.79483825604877448082e+09);
INSERT INTO "submitters" VALUES(3,1,'Green','Green University','https://green.example.org','5dfa80ba70c1e300899147ebfd9459b200112fa3902c16654d90fd4a6479fbc5','1b3c99898b98b709',1.7948382639517159462e+09,1.79483825498025178909e+09,NULL);
CREATE TABLE tasks (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	definition TEXT NOT NULL, 
	folder TEXT DEFAULT '' NOT NULL, 
	digest TEXT NOT NULL, 
	public BOOLEAN DEFAULT false NOT NULL, 
	terms TEXT DEFAULT '' NOT NULL, 
	most_submissions INTEGER DEFAULT '3' NOT NULL, 
	submission_hours FLOAT DEFAULT '24' NOT NULL, 
	created FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "tasks" VALUES(1,'nli','Natural language inference','{"name":"nli","title":"Natural language inference","about":"Does the context entail the hypothesis, contradict it, or leave it open?","instructions":"Read the context, then the hypothesis. Answer `entailed` if the hypothesis must be true,\n`contradictory` if it cannot be, and `neutral` if the context does not settle it.\n","context":[{"name":"context","type":"string","title":"context"}],"input":[{"name":"hypothesis","type":"string","title":"hypothesis"},{"name":"label","type":"multiclass","labels":["entailed","neutral","contradictory"]}],"output":["label",{"name":"prob","type":"prob","about":"how probable the model thinks each label","labels":["entailed","neutral","contradictory"]}],"perf_metric":{"metric":"accuracy","fields":["label"]},"metrics":[{"metric":"macro_f1","fields":["label"]}],"delta_metrics":["fairness","robustness"],"model_wrong":{"rule":"exact_match","fields":["label"]},"codes":{"e":"entailed","n":"neutral","c":"contradictory","entailment":"entailed","contradiction":"contradictory"},"perturb":["context","hypothesis"]}','','bbb909774839b398a4a57ccf8977f0c9dc35a1fc4e75f1a2b0ceba13ece86821',1,'Train on nothing of ours.',3,48.0,1.79483817481999874115e+09);
INSERT INTO "tasks" VALUES(2,'qa','Question answering','{"name":"qa","title":"Question answering","about":"Which words of the context answer the question?","instructions":"Copy the shortest part of the context that answers the question, letter by letter.\n","context":[{"name":"context","type":"string","title":"passage"}],"input":[{"name":"question","type":"string","title":"question"},{"name":"answer","type":"context_string_selection","reference":"context"}],"output":["answer",{"name":"conf","type":"prob","about":"how sure the model is of its answer"}],"perf_metric":{"metric":"squad_f1","fields":["answer"]},"metrics":[{"metric":"squad_em","fields":["answer"]}],"delta_metrics":["fairness","robustness"],"model_wrong":{"rule":"string_f1","fields":["answer"],"threshold":0.4},"perturb":["context","question"]}','','6715c391d9f25dbe07bacab9c261680143e67f519cf97cea4eec83c342263787',0,'',3,24.0,1.79483824600912070274e+09);
INSERT INTO "tasks" VALUES(3,'mine','Sentiment','{"name":"mine","title":"Sentiment","about":"Is what the statement says of its subject good, bad, or neither?","input":[{"name":"statement","type":"string","title":"statement"},{"name":"label","type":"multiclass","labels":["negative","positive","neutral"]}],"output":["label",{"name":"prob","type":"prob","about":"how probable the model thinks each label","labels":["negative","positive","neutral"]}],"perf_metric":{"metric":"macro_f1","fields":["label"]},"metrics":[{"metric":"accuracy","fields":["label"]}],"delta_metrics":["fairness","robustness"],"model_wrong":{"rule":"exact_match","fields":["label"]},"perturb":["statement"]}','/home/lab/work','36b99fa0c7f2f321975afe01580b4fc5f9971012ba648cabd9be866e7db63c1e',0,'',3,24.0,1.79483824951341104507e+09);
CREATE TABLE tokens (
	id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	role TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	expires FLOAT, 
	revoked FLOAT, 
	used FLOAT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES accounts (id), 
	UNIQUE (digest)
);
INSERT INTO "tokens" VALUES(1,2,'notebook','5dd4cb26c4bb43cbf34dae278932539255afad09ae3e0bfebf940684ce779ff2','owner',1.79483817135225081444e+09,NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(2,3,'notebook','bfaa478116641b40337913f57efed4a295af4858bf464f37df4e9d65f0d836ab','reviewer',1.79483817135225081444e+09,NULL,NULL,1.79483825964869570732e+09);
INSERT INTO "tokens" VALUES(3,4,'notebook','a90db44410c2bc310d761411a62a2320f053ae64b1f7b04fa19bec6bb88a6fb5','viewer',1.79483817135225081444e+09,NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(4,4,'old laptop','0000','viewer',1.79483817135225081444e+09,1.79492457135225081444e+09,1.79483823135225081444e+09,NULL);
CREATE TABLE units (
	id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	dialogue_id INTEGER, 
	first_seq INTEGER, 
	last_seq INTEGER, 
	seat INTEGER, 
	first_unit_id INTEGER, 
	second_unit_id INTEGER, 
	item TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (id), 
	FOREIGN KEY(dialogue_id) REFERENCES dialogues (id), 
	FOREIGN KEY(first_unit_id) REFERENCES units (id), 
	FOREIGN KEY(second_unit_id) REFERENCES units (id)
);
INSERT INTO "units" VALUES(1,1,'dialogue:d_PW9BQpG_vUlWqis8lVKT','dialogue',15,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(2,1,'dialogue:d_2JOod53WA1gOMtVuNAGI','dialogue',16,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(3,1,'dialogue:d_zCZVfmTIrYbgizNMdAsu','dialogue',17,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(4,1,'dialogue:d_HnOtsUeFRv_BGiZB-_Ex','dialogue',18,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(5,1,'dialogue:d_3cor1kZDzY2elHbVNTt4','dialogue',19,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(6,2,'dialogue:d_X30QK5FEdnGoUi7WfOUE','dialogue',20,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(7,2,'dialogue:d_ah6Lo-hqUgsOjLR8tMV0','dialogue',21,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(8,2,'pair:dialogue:d_X30QK5FEdnGoUi7WfOUE|dialogue:d_ah6Lo-hqUgsOjLR8tMV0','pair',NULL,NULL,NULL,NULL,6,7,NULL);
INSERT INTO "units" VALUES(9,2,'dialogue:d_SpVEP98ryVZ1a3t9I0We','dialogue',22,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(10,2,'dialogue:d_oXjZLfgKiNh_HWy1zQpC','dialogue',23,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(11,2,'pair:dialogue:d_SpVEP98ryVZ1a3t9I0We|dialogue:d_oXjZLfgKiNh_HWy1zQpC','pair',NULL,NULL,NULL,NULL,9,10,NULL);
INSERT INTO "units" VALUES(12,2,'dialogue:d_ei0csaJpyzkU3frPqX_n','dialogue',24,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(13,2,'dialogue:d_E59wLVdzont7pMJoxbZd','dialogue',25,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(14,2,'pair:dialogue:d_E59wLVdzont7pMJoxbZd|dialogue:d_ei0csaJpyzkU3frPqX_n','pair',NULL,NULL,NULL,NULL,13,12,NULL);
INSERT INTO "units" VALUES(15,2,'dialogue:d_f65hO6lyZA2IG4Oaf6ao','dialogue',26,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(16,2,'dialogue:d_ZJefYnhA9j3l6sNFimxK','dialogue',27,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(17,2,'pair:dialogue:d_ZJefYnhA9j3l6sNFimxK|dialogue:d_f65hO6lyZA2IG4Oaf6ao','pair',NULL,NULL,NULL,NULL,16,15,NULL);
INSERT INTO "units" VALUES(18,8,'event:d_Kh9QD5iINlaGII9Yh5uC:2','event',1,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(19,8,'event:d_Kh9QD5iINlaGII9Yh5uC:4','event',1,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(20,8,'event:d_QMhi_M5G3BIYmBgMmc0m:2','event',2,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(21,8,'event:d_QMhi_M5G3BIYmBgMmc0m:4','event',2,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(22,8,'event:d_IR97xpu9TN-wTZISbuMl:2','event',11,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(23,8,'event:d_TyJezw81TfK2tf-tEGnm:2','event',4,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(24,8,'event:d_2mNSeeCMFbRT2xGEYTAE:2','event',12,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(25,8,'event:d_AQPXiJBRuag9I0Tzu2yb:2','event',13,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(26,8,'event:d_AQPXiJBRuag9I0Tzu2yb:4','event',13,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(27,8,'dialogue:d_AQPXiJBRuag9I0Tzu2yb','dialogue',13,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(28,8,'event:d_y9ZBBAiDIXh6PA0Vg4jJ:2','event',14,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(29,8,'event:d_y9ZBBAiDIXh6PA0Vg4jJ:4','event',14,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(30,8,'event:d_HsQQ-DqFpneXydROUd6N:2','event',3,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(31,4,'event:d_AK0pbCKDFgJkI0agsFk2:2','event',5,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(32,4,'dialogue:d_AK0pbCKDFgJkI0agsFk2','dialogue',5,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(33,4,'event:d_PAceoUp_uLHNH8vWKzhG:2','event',6,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(34,4,'dialogue:d_PAceoUp_uLHNH8vWKzhG','dialogue',6,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(35,7,'dialogue:d_1Z7-DRnyCRagV8KMpdHO','dialogue',8,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(36,7,'dialogue:d_751JhZDi09u7uLJCDMdr','dialogue',7,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(37,7,'pair:dialogue:d_1Z7-DRnyCRagV8KMpdHO|dialogue:d_751JhZDi09u7uLJCDMdr','pair',NULL,NULL,NULL,NULL,35,36,NULL);
INSERT INTO "units" VALUES(38,7,'dialogue:d_BcwyuiHBp_EoO0Z-jwTt','dialogue',9,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(39,7,'dialogue:d_cvIuMxObZXbCRc57hF21','dialogue',10,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(40,7,'pair:dialogue:d_BcwyuiHBp_EoO0Z-jwTt|dialogue:d_cvIuMxObZXbCRc57hF21','pair',NULL,NULL,NULL,NULL,38,39,NULL);
INSERT INTO "units" VALUES(41,5,'event:d_2JOod53WA1gOMtVuNAGI:1','event',16,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(42,5,'event:d_2JOod53WA1gOMtVuNAGI:2','event',16,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(43,5,'event:d_2JOod53WA1gOMtVuNAGI:4','event',16,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(44,5,'event:d_2JOod53WA1gOMtVuNAGI:5','event',16,5,5,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(45,5,'dialogue:d_2JOod53WA1gOMtVuNAGI','dialogue',16,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(46,5,'event:d_PW9BQpG_vUlWqis8lVKT:1','event',15,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(47,5,'event:d_PW9BQpG_vUlWqis8lVKT:2','event',15,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(48,5,'event:d_PW9BQpG_vUlWqis8lVKT:4','event',15,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(49,5,'event:d_PW9BQpG_vUlWqis8lVKT:5','event',15,5,5,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(50,5,'dialogue:d_PW9BQpG_vUlWqis8lVKT','dialogue',15,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(51,5,'event:d_HnOtsUeFRv_BGiZB-_Ex:1','event',18,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(52,5,'event:d_HnOtsUeFRv_BGiZB-_Ex:2','event',18,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(53,5,'event:d_HnOtsUeFRv_BGiZB-_Ex:4','event',18,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(54,5,'event:d_HnOtsUeFRv_BGiZB-_Ex:5','event',18,5,5,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(55,5,'dialogue:d_HnOtsUeFRv_BGiZB-_Ex','dialogue',18,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(56,5,'event:d_zCZVfmTIrYbgizNMdAsu:1','event',17,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(57,5,'event:d_zCZVfmTIrYbgizNMdAsu:2','event',17,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(58,5,'event:d_zCZVfmTIrYbgizNMdAsu:4','event',17,4,4,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(59,5,'event:d_zCZVfmTIrYbgizNMdAsu:5','event',17,5,5,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(60,5,'dialogue:d_zCZVfmTIrYbgizNMdAsu','dialogue',17,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(61,3,'dialogue:d_UFpEdtN1kLnXe2_56bMq','dialogue',30,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(62,3,'dialogue:d_lDrE16cnedjVd6E9zg6p','dialogue',31,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(63,3,'pair:dialogue:d_UFpEdtN1kLnXe2_56bMq|dialogue:d_lDrE16cnedjVd6E9zg6p','pair',NULL,NULL,NULL,NULL,61,62,NULL);
INSERT INTO "units" VALUES(64,3,'dialogue:d_-aWk8-rgROD-IHz-21zn','dialogue',32,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(65,3,'dialogue:d_NDtUgKVa2j3CwePMXOUN','dialogue',33,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(66,3,'pair:dialogue:d_-aWk8-rgROD-IHz-21zn|dialogue:d_NDtUgKVa2j3CwePMXOUN','pair',NULL,NULL,NULL,NULL,64,65,NULL);
INSERT INTO "units" VALUES(67,3,'dialogue:d_qxX-Ej8-gxu1xv8yO2O7','dialogue',35,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(68,3,'dialogue:d_rfn8fCACQlaeIIGaIRAx','dialogue',34,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(69,3,'pair:dialogue:d_qxX-Ej8-gxu1xv8yO2O7|dialogue:d_rfn8fCACQlaeIIGaIRAx','pair',NULL,NULL,NULL,NULL,67,68,NULL);
INSERT INTO "units" VALUES(70,3,'dialogue:d_Km6291VjITYJzYXD4cJ9','dialogue',37,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(71,3,'dialogue:d_Y1It6b-k0-Oo_-wumQRF','dialogue',36,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(72,3,'pair:dialogue:d_Km6291VjITYJzYXD4cJ9|dialogue:d_Y1It6b-k0-Oo_-wumQRF','pair',NULL,NULL,NULL,NULL,70,71,NULL);
INSERT INTO "units" VALUES(73,3,'dialogue:d_dgH5cKJVD6hEd228bA8j','dialogue',39,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(74,3,'dialogue:d_jK50GTnoiue6TF5uKt2p','dialogue',38,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(75,3,'pair:dialogue:d_dgH5cKJVD6hEd228bA8j|dialogue:d_jK50GTnoiue6TF5uKt2p','pair',NULL,NULL,NULL,NULL,73,74,NULL);
INSERT INTO "units" VALUES(76,3,'dialogue:d_CWERlc1vTNEepa8KQ7OA','dialogue',40,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(77,3,'dialogue:d_Y3WABGMXhMBhRPLXqc47','dialogue',41,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(78,3,'pair:dialogue:d_CWERlc1vTNEepa8KQ7OA|dialogue:d_Y3WABGMXhMBhRPLXqc47','pair',NULL,NULL,NULL,NULL,76,77,NULL);
INSERT INTO "units" VALUES(79,3,'dialogue:d_kVo_SouLLnYRsvIoYkh6','dialogue',43,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(80,3,'dialogue:d_nBeW37dNGpWIROZ7R_J5','dialogue',42,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(81,3,'pair:dialogue:d_kVo_SouLLnYRsvIoYkh6|dialogue:d_nBeW37dNGpWIROZ7R_J5','pair',NULL,NULL,NULL,NULL,79,80,NULL);
INSERT INTO "units" VALUES(82,3,'dialogue:d_J9Hr5sGF_CTyWguDpUfZ','dialogue',44,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(83,3,'dialogue:d_cg6k-bmNx5ZYtSE26IVx','dialogue',45,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(84,3,'pair:dialogue:d_J9Hr5sGF_CTyWguDpUfZ|dialogue:d_cg6k-bmNx5ZYtSE26IVx','pair',NULL,NULL,NULL,NULL,82,83,NULL);
INSERT INTO "units" VALUES(85,3,'dialogue:d_GpPFcW7z-Jp9yEfQ9_lH','dialogue',46,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(86,3,'dialogue:d_v3hSnDOLj30rWp3nQh3Y','dialogue',47,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(87,3,'pair:dialogue:d_GpPFcW7z-Jp9yEfQ9_lH|dialogue:d_v3hSnDOLj30rWp3nQh3Y','pair',NULL,NULL,NULL,NULL,85,86,NULL);
INSERT INTO "units" VALUES(88,3,'dialogue:d_CP6nlMVFKXmbueAfHgu9','dialogue',48,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(89,3,'dialogue:d_oW8enizUfTOCbSJjo73i','dialogue',49,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(90,3,'pair:dialogue:d_CP6nlMVFKXmbueAfHgu9|dialogue:d_oW8enizUfTOCbSJjo73i','pair',NULL,NULL,NULL,NULL,88,89,NULL);
INSERT INTO "units" VALUES(91,3,'dialogue:d_d_GzAunG0-aEJ3yB70CZ','dialogue',51,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(92,3,'dialogue:d_feYqNV-cqiigN4gCkvXL','dialogue',50,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(93,3,'pair:dialogue:d_d_GzAunG0-aEJ3yB70CZ|dialogue:d_feYqNV-cqiigN4gCkvXL','pair',NULL,NULL,NULL,NULL,91,92,NULL);
INSERT INTO "units" VALUES(94,3,'dialogue:d_Y2_7bZDYFoLmd_r2ZzyM','dialogue',52,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(95,3,'dialogue:d_drAZsyiMuyakqP-GRwbZ','dialogue',53,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(96,3,'pair:dialogue:d_Y2_7bZDYFoLmd_r2ZzyM|dialogue:d_drAZsyiMuyakqP-GRwbZ','pair',NULL,NULL,NULL,NULL,94,95,NULL);
INSERT INTO "units" VALUES(97,9,'dialogue:d_1ESjc7AzfgPuiEaJAq72','dialogue',54,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(98,9,'event:d_1ESjc7AzfgPuiEaJAq72:3','event',54,3,3,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(99,9,'turn:d_1ESjc7AzfgPuiEaJAq72:1-2','turn',54,1,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(100,9,'dialogue:d_LBHzQIApXGqGmvwtbVc1','dialogue',55,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(101,9,'event:d_LBHzQIApXGqGmvwtbVc1:1','event',55,1,1,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(102,9,'event:d_LBHzQIApXGqGmvwtbVc1:2','event',55,2,2,NULL,NULL,NULL,NULL);
INSERT INTO "units" VALUES(103,9,'event:d_LBHzQIApXGqGmvwtbVc1:3','event',55,3,3,NULL,NULL,NULL,NULL);
CREATE TABLE waiting (
	assignment_id INTEGER NOT NULL, 
	study_id INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	since FLOAT NOT NULL, 
	seen FLOAT NOT NULL, 
	PRIMARY KEY (assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignments (id), 
	FOREIGN KEY(study_id) REFERENCES studies (id)
);
CREATE INDEX tokens_by_account ON tokens (account_id, id);
CREATE INDEX places_by_state ON places (study_id, stage, condition, state, number);
CREATE INDEX dialogues_by_study ON dialogues (study_id, id);
CREATE INDEX dialogues_by_group ON dialogues (group_key, position);
CREATE INDEX sheets_by_position ON sheets (study_id, stage, purpose, position);
CREATE INDEX standings_by_participant ON standings (participant_id, name, id);
CREATE INDEX assignments_by_study ON assignments (study_id, id);
CREATE INDEX datasets_by_parent ON datasets (parent_id);
CREATE INDEX seats_by_assignment ON seats (assignment_id, dialogue_id);
CREATE UNIQUE INDEX events_client_id ON events (dialogue_id, seat, client_id) WHERE client_id IS NOT NULL;
CREATE UNIQUE INDEX events_reply_to ON events (dialogue_id, seat, reply_to) WHERE reply_to IS NOT NULL;
CREATE UNIQUE INDEX events_end ON events (dialogue_id) WHERE action = 'end';
CREATE INDEX events_failure ON events (dialogue_id) WHERE action = 'failure';
CREATE INDEX leases_by_holder ON leases (holder);
CREATE INDEX leases_by_expiry ON leases (expires);
CREATE INDEX units_by_dialogue ON units (dialogue_id);
CREATE INDEX units_by_first ON units (first_unit_id);
CREATE INDEX units_by_second ON units (second_unit_id);
CREATE INDEX exclusions_by_study ON exclusions (study_id, rater_id, id);
CREATE INDEX slots_by_rank ON slots (study_id, stage, state, rank);
CREATE UNIQUE INDEX slots_by_group ON slots (participant_id, study_id, stage, group_key) WHERE participant_id IS NOT NULL;
CREATE INDEX slots_by_participant ON slots (participant_id, study_id, stage, state, assignment_id, rank) WHERE participant_id IS NOT NULL;
CREATE INDEX slots_by_assignment ON slots (assignment_id, stage) WHERE assignment_id IS NOT NULL;
CREATE INDEX screenings_by_study ON screenings (study_id, stage, participant_id);
CREATE INDEX waiting_by_study ON waiting (study_id, stage, since);
CREATE INDEX problems_by_study ON problems (study_id, id);
CREATE INDEX dataset_versions_by_parent ON dataset_versions (parent_version_id);
CREATE INDEX labels_by_rater ON labels (rater_id, unit_id);
CREATE INDEX labels_by_unit ON labels (unit_id, question, id);
CREATE INDEX labels_by_study ON labels (study_id, question, id);
CREATE INDEX labels_by_assignment ON labels (assignment_id);
CREATE INDEX labels_by_slot ON labels (slot_id);
CREATE INDEX submissions_by_submitter ON submissions (submitter_id, created);
CREATE INDEX runs_by_dataset ON runs (dataset_version_id, id);
CREATE INDEX runs_by_state ON runs (state, id);
CREATE INDEX jobs_by_run ON jobs (run_id, id);
CREATE INDEX jobs_by_state ON jobs (state, due, id);
CREATE UNIQUE INDEX jobs_one_per_lane ON jobs (lane) WHERE state = 'running';
CREATE INDEX job_failures_by_job ON job_failures (job_id, id);
COMMIT;
